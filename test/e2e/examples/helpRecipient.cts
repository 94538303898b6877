import type { IDataObject } from 'n8n-workflow';
import { changes, e2e, mails } from '../support/exampleEnvironment.cts';
import { day } from '../support/testEnvironment.cts';

const ADA = 'ada@example.com';
const add = async (name: string, rules: IDataObject) =>
	await e2e.service.addContainer({ name, rules: { recipients: [ADA], ...rules } });
/** @param days from today to the last day */
const toRules = ({ days, ...rules }: { days?: number } & IDataObject): IDataObject =>
	days === undefined ? rules : { ...rules, time: { end: day(days) } };
const help = async (email: string, what: string, name = '') =>
	await e2e.submit('help-a-recipient', [email, what, name]);

describe('help-a-recipient', () => {
	it.each<[help: string, before: IDataObject, after: IDataObject]>([
		['Extend access', { days: -2 }, { days: 30 }],
		['Extend access', { days: 60 }, { days: 60 }],
		['Allow downloads', { downloadable: false }, { downloadable: true }],
		['Only mail the link', { opens: 3 }, { opens: 3 }],
	])(
		'%s: finds the container by the address, mails the link, and changes nothing the second time (%j)',
		async (what, before, after) => {
			const uuid = await add('Offer <b>', toRules(before));
			await add('Other', { recipients: ['bob@example.com'] });

			const { page, error } = await help('Ada@example.com', what);

			expect(error).toBeUndefined();
			expect(page).toContain('is on its way to Ada@example.com');
			expect(page).toContain('"Offer ‹b›"');
			const changed = { recipients: [ADA], ...toRules(after) };
			expect(await e2e.service.getRules(uuid)).toMatchObject(changed);
			expect(mails()).toMatchObject([{ to: 'Ada@example.com', subject: 'The link to your files' }]);
			expect(mails()[0].text).toContain(`/c/${uuid}`);
			const { length } = changes();
			expect((await help(ADA, what)).error).toBeUndefined();
			expect(changes()).toHaveLength(length);
		},
	);

	it('adds an address to the container whose name is entered, and only whom the node allows', async () => {
		const uuid = await add('Offer 2026', {});
		await add('Offer 2025', {});
		const which = await help('bob@example.com', 'Add the address');
		expect(which.page).toContain('enter a part of the container name');
		const several = await help('bob@example.com', 'Add the address', 'offer');
		for (const name of ['Several containers found', 'Offer 2025', 'Offer 2026']) {
			expect(several.page).toContain(name);
		}
		const refused = await help('eve@elsewhere.example', 'Add the address', '2026');
		expect(refused.page).toContain('Nothing was mailed');
		expect(refused.error?.message).toContain('was not helped');
		expect([changes(), mails()]).toEqual([[], []]);

		expect((await help('bob@example.com', 'Add the address', '2026')).error).toBeUndefined();
		const { recipients } = await e2e.service.getRules(uuid);
		expect(recipients).toEqual([ADA, 'bob@example.com']);
		expect(mails()).toMatchObject([{ to: 'bob@example.com' }]);
	});

	it('says that there is no container, and why one can not be changed', async () => {
		const { page, error } = await help('nobody@example.com', 'Extend access');
		expect([page, error]).toEqual([expect.stringContaining('No container found'), undefined]);
		await add('Sealed', { dynamic: false, time: { end: day(3) } });
		const sealed = await help(ADA, 'Extend access');
		expect(sealed.page).toMatch(/Nothing was mailed[^]*Sealed/);
		expect(sealed.error?.message).toContain('was not helped');
		expect(mails()).toEqual([]);
	});
});
