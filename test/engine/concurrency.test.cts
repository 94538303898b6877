import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { contactsOf, pathOf, sync, table } from './support/contacts.cts';
import { byId, newKey } from './support/operations.cts';
import { to, useRules } from './support/rules.cts';

describe('executions at the same moment', () => {
	const { service, hold, run, update } = useRules();

	it('lose no recipient, and undo no revocation', async () => {
		const { c1 } = await hold({ c1: to('anna@x.example') });
		const added = Array.from({ length: 20 }, (_value, index) => `p${index}@x.example`);

		const results = await Promise.all([
			...added.map(async (address) => await update(c1, { addRecipients: address })),
			run('revoke', byId(c1)),
		]);

		expect(results.map(({ error }) => error?.message).filter(Boolean)).toEqual([]);
		const { recipients, time } = await service.getRules(c1);
		expect([...(recipients as string[])].sort()).toEqual(['anna@x.example', ...added].sort());
		expect((time as IDataObject).end).not.toBe('2099-12-31');
	});
});

describe('Contact > Sync in executions at the same time', () => {
	const service = mockService();
	const { holds, changes } = contactsOf(service);
	const [anna, bob] = [{ email: 'anna@x.example' }, { email: 'bob@x.example' }];
	const change = { ...anna, company: 'New' };

	it.each([
		['deleted a contact', 200, [change], ['DELETE', 'PATCH']],
		['failed', 422, [change, bob], []],
		['been canceled', 0, [change, bob], []],
	])('reads the list after the one before has %s', async (_what, status, list, expected) => {
		const credentials = newKey();
		const run = async (rows: IDataObject[], more: object = {}) =>
			await sync(table(...rows), {
				...{ credentials, parameters: { deleteMissing: true }, ...more },
				options: { maxDeletions: 100 },
			});
		const stop = new AbortController();
		let [give, tell] = [() => {}, () => {}];
		const given = new Promise<void>((resolve) => (give = resolve));
		const isSent = new Promise<void>((resolve) => (tell = resolve));
		holds(anna, bob);
		service.patch(pathOf(anna.email)).reply(async () => {
			tell();
			await given;
			return [status || 200, change];
		});
		const first = run([change], { signal: stop.signal });
		await isSent;
		const second = run([change, bob]);
		// What changes nothing waits for nobody.
		holds(anna, bob);
		const dryRun = await run([bob], { parameters: { deleteMissing: true, dryRun: true } });
		expect(dryRun.error).toBeUndefined();
		holds(...list);
		if (expected.length > 0) {
			service.delete(pathOf(bob.email)).reply(204);
			service.patch(pathOf(bob.email)).reply(200, bob);
		}
		if (status === 0) stop.abort();
		else give();

		expect((await second).error).toBeUndefined();
		give();
		expect((await first).error === undefined).toBe(status === 200);
		expect(changes().map(([method]) => method)).toEqual(['PATCH', ...expected]);
	});
});
