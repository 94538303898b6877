import type { IDataObject } from 'n8n-workflow';
import { rowsOf } from '../../../support/texts.cts';
import { rewrite } from '../../../support/proxy.cts';
import { useService } from '../../../support/service.cts';
import { encode as encodeItems, withManifest } from '../../support/encode.cts';
import { itemsWith, outputOf } from '../../support/operations.cts';

const service = useService();

const encode = async (
	parameters: IDataObject,
	ifExists: string,
	{ ids = ['Invoice'], ...more }: { ids?: string[]; [setting: string]: unknown } = {},
) =>
	await encodeItems(
		parameters,
		{ userId: '', ifExists, maxConcurrent: 5 },
		{ items: itemsWith(...ids), credentials: service.credentials, ...more },
	);
const countUploads = () => service.requests.filter(({ method }) => method === 'POST').length;

it('the same name is exactly that, but for spaces around it and its form in Unicode', async () => {
	const [composed, decomposed] = ['NFC', 'NFD'].map((form) => 'Prüfung'.normalize(form));
	const rules = { downloadable: false };
	const id = await service.addContainer({ name: composed, rules });
	await service.addContainer({ name: 'Invoice' });

	const ids = [` ${decomposed}`, 'Invoice 2', 'invoice'];
	const output = await outputOf(encode({}, 'reuse', { ids }));

	expect(output.map(({ reused }) => reused)).toEqual([true, false, false]);
	expect(output[0]).toMatchObject({ containerId: id, container: { uuid: id } });
});

it.each([
	['reuse', [false, true], 0],
	['fail', [undefined], 1],
])('two items with one name create one container under "%s"', async (ifExists, reused, failed) => {
	const more = { ids: ['Invoice', 'Invoice'], onError: 'continueErrorOutput' };
	const { items, errorItems } = await encode({}, ifExists, more);

	expect(await service.getContainers()).toHaveLength(1);
	expect(items.map(({ json }) => json.reused)).toEqual(reused);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(reused.map((_, item) => ({ item })));
	const error = expect.stringContaining('already exists') as string;
	expect(errorItems).toMatchObject(Array(failed).fill({ json: { name: 'Invoice', error } }));
});

const recipients = ['anna@x.example', 'bob@x.example'];
const end = '2099-12-31';
const json = (container: IDataObject) =>
	withManifest({ container: { name: 'Invoice', ...container } });
/** What an item asks for. */
const questions: Record<string, IDataObject> = {
	fields: { recipients: recipients.join(), accessEnds: 'onDate', timeEnd: end },
	openToAll: { recipients: '', accessEnds: 'never' },
	slashes: json({ recipients, drm: { time: { end: '31/12/2099' } } }),
	inRules: json({ drm: { recipients } }),
};

it('executions at the same moment create one container', async () => {
	const results = await Promise.all(
		Array.from({ length: 6 }, async () => await encode({}, 'reuse')),
	);

	const containers = await service.getContainers();
	expect(containers).toHaveLength(1);
	const ids = results.map(({ items }) => items[0].json.containerId);
	expect(ids).toEqual(Array(6).fill(containers[0].uuid));
});

describe('reusing a container', () => {
	const encodeAgain = async (rules: object, asked = 'fields', timezone = 'UTC') => {
		await service.addContainer({ name: 'Invoice' });
		service.on(
			{ path: /\/drm$/ },
			rewrite(() => ({ downloadable: false, ...rules })),
		);
		return await encode(questions[asked], 'reuse', { timezone });
	};

	const same = rowsOf<[rules: object, asked?: string, timezone?: string]>(`
		shows them in capitals, in another order, with other rules: [{ recipients: [BOB@X.EXAMPLE, ANNA@X.EXAMPLE], time: { end: ${end} }, opens: 3 }]
		shows a moment on the day in the time zone of the workflow: [{ recipients: [anna@x.example, bob@x.example], time: { end: "2099-12-30T23:00:00Z" } }, fields, Europe/Zurich]
		shows nothing: [{}, openToAll]
		shows those in the rules of the manifest: [{ recipients: [anna@x.example, bob@x.example] }, inRules]
	`);

	it.each(same)('returns it without an upload when the service %s', async (_how, row) => {
		expect(await outputOf(encodeAgain(...row))).toMatchObject([{ reused: true }]);
		expect(countUploads()).toBe(0);
	});

	const different = rowsOf<[rules: object, details: string, asked?: string]>(`
		another recipient: [{ recipients: [anna@x.example, eve@x.example], time: { end: ${end} } }, "Its recipients: anna@x.example, eve@x.example instead of anna@x.example, bob@x.example."]
		a moment on another day: [{ recipients: [anna@x.example, bob@x.example], time: { end: "2099-12-30T23:00:00Z" } }, "Its last day: 2099-12-30 instead of 2099-12-31."]
		an end that can't be read where none was asked for: [{ time: { end: 31/12/2099 } }, 'Its last day: {"end":"31/12/2099"} instead of none.', openToAll]
		no end where JSON asks for one that can't be read: [{ recipients: [anna@x.example, bob@x.example] }, 'Its last day: none instead of {"end":"31/12/2099"}.', slashes]
		download where none was asked for: [{ recipients: [anna@x.example, bob@x.example], time: { end: ${end} }, downloadable: true }, Its files can be downloaded.]
		no rule about downloads: [{ recipients: [anna@x.example, bob@x.example], time: { end: ${end} }, downloadable: null }, Its files can be downloaded.]
	`);

	it.each(different)('is an error that says what differs: %s', async (_what, row) => {
		const [rules, details, question] = row;

		const { error } = await encodeAgain(rules, question);

		expect(error?.message).toBe(
			'A container named "Invoice" already exists with other access rules [item 0]',
		);
		expect(error?.description).toContain('Nothing was uploaded.');
		expect(error?.description).toContain(details);
		expect(countUploads()).toBe(0);
	});

	it('returns the one that fits of several with one name', async () => {
		await service.addContainer({ name: 'Invoice', rules: { recipients: ['eve@x.example'] } });
		const rules = { recipients, time: { end }, downloadable: false };
		const containerId = await service.addContainer({ name: 'Invoice', rules });

		const output = await outputOf(encode(questions.fields, 'reuse'));

		expect(output).toMatchObject([{ containerId, reused: true }]);
	});

	it('finds it where its name contains the password, and shows the name', async () => {
		const rules = { downloadable: false };
		const containerId = await service.addContainer({ name: 'Statement 2026', rules });

		const drmRules = { password: 'Statement' };
		const output = await outputOf(encode({ drmRules }, 'reuse', { ids: ['Statement 2026'] }));

		const settings = { name: 'Statement 2026' };
		expect(output).toMatchObject([{ containerId, reused: true, settings }]);
	});
});
