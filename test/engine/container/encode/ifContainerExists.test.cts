import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../../support/nock.cts';
import { rowsOf } from '../../../support/texts.cts';
import {
	encode,
	envelope,
	invoice,
	path,
	withManifest,
	withoutSettings,
} from '../../support/encode.cts';
import {
	containersPath as listPath,
	itemsWith,
	outputOf,
	userId,
} from '../../support/operations.cts';

const service = mockService();
const existing = [
	{ org_id: userId, container: { uuid: 'c-old', name: 'Invoice' } },
	{ uuid: 'c-plain', name: 'Plain', owner_id: 'owner' },
	{ uuid: 'c-second', name: 'Invoice' },
];
const reuse = { ifExists: 'reuse' };
const fail = { ifExists: 'fail' };
const both = [...invoice, ...invoice];
/** The rules of a container without recipients and without an end, as the items ask for. */
const showRules = (id: string, times = 1) =>
	service.get(`/containers/${id}/drm`).times(times).reply(200, { dynamic: true });
const show = (...containers: unknown[]) => service.get(listPath).query(true).reply(200, containers);

describe('an existing container', () => {
	/** Which lists are understood is tested for everybody who reads one. */
	it('is found in a list, in each form of a container', async () => {
		for (const name of ['Invoice', 'Plain']) {
			service.get(listPath).query({ name }).reply(200, existing);
		}
		showRules('c-old');
		showRules('c-plain');

		const { items, error } = await encode({}, reuse, { items: itemsWith('Invoice', 'Plain') });

		expect(error).toBeUndefined();
		expect(withoutSettings(items)).toEqual([
			{ ...existing[0], reused: true },
			{ org_id: 'owner', container: existing[1], reused: true },
		]);
		expect(service.requests).toHaveLength(4);
	});

	it('has exactly the same name, in the same case', async () => {
		show(...existing);
		show(...existing);
		service.post(path).twice().reply(200, envelope);

		await outputOf(encode({}, reuse, { items: itemsWith('Invoice 2', 'invoice') }));
	});

	it('is the same in another Unicode form, and with spaces around its name', async () => {
		const [composed, decomposed] = ['NFC', 'NFD'].map((form) => 'Prüfung'.normalize(form));
		show({ uuid: 'c-1', name: composed });
		showRules('c-1');

		expect(await outputOf(encode({}, reuse, { items: itemsWith(` ${decomposed}`) }))).toMatchObject(
			[{ container: { uuid: 'c-1' }, reused: true }],
		);
	});
});

describe('two items with the same name', () => {
	it('create one container under "reuse"', async () => {
		show();
		service.post(path).delay(20).reply(200, envelope);
		show(envelope);
		showRules('c-1');

		const { items } = await encode({}, { ...reuse, maxConcurrent: 5 }, { items: both });

		expect(withoutSettings(items).map((json, index) => [json, items[index].pairedItem])).toEqual([
			[{ ...envelope, reused: false }, { item: 0 }],
			[{ ...envelope, reused: true }, { item: 1 }],
		]);
		expect(service.requests).toHaveLength(4);
	});

	it('create one container under "fail", and the second item fails', async () => {
		show();
		service.post(path).reply(200, envelope);
		show(envelope);

		const { items, errorItems } = await encode(
			{},
			{ ...fail, maxConcurrent: 5 },
			{ items: both, onError: 'continueErrorOutput' },
		);

		expect(withoutSettings(items)).toEqual([envelope]);
		expect(errorItems[0].json).toMatchObject({
			name: 'Invoice',
			error: expect.stringContaining('already exists'),
		});
	});
});

const recipients = ['anna@x.example', 'bob@x.example'];
const end = '2099-12-31';
const json = (container: IDataObject) =>
	withManifest({ container: { name: 'Invoice', ...container } });
/** What an item asks for. */
const questions = {
	fields: { recipients: recipients.join(), accessEnds: 'onDate', timeEnd: end },
	openToAll: { recipients: '', accessEnds: 'never' },
	slashes: json({ recipients, drm: { time: { end: '31/12/2099' } } }),
	inRules: json({ drm: { recipients } }),
};

describe('reusing a container', () => {
	const encodeAgain = async (
		rules: unknown,
		asked: keyof typeof questions = 'fields',
		timezone = 'UTC',
	) => {
		show(existing[0]);
		service.get('/containers/c-old/drm').reply(200, rules as IDataObject);
		return await encode(questions[asked], reuse, { timezone });
	};

	const same = rowsOf<[rules: unknown, asked?: keyof typeof questions, timezone?: string]>(`
		shows them: [{ recipients: [anna@x.example, bob@x.example], time: { end: ${end} } }]
		shows them in capitals, in another order, with other rules: [{ recipients: [BOB@X.EXAMPLE, ANNA@X.EXAMPLE], time: { end: ${end} }, opens: 3 }]
		shows them inside: [{ drm: { time: { end: ${end} } }, recipients: [{ email: anna@x.example }, { email: bob@x.example }] }]
		shows a moment on the day in the time zone of the workflow: [{ recipients: [anna@x.example, bob@x.example], time: { end: "2099-12-30T23:00:00Z" } }, fields, Europe/Zurich]
		shows the end of the day in New York: [{ recipients: [anna@x.example, bob@x.example], time: { end: "2100-01-01T04:59:59Z" } }, fields, America/New_York]
		shows nothing: [{}, openToAll]
		shows those in the rules of the manifest: [{ recipients: [anna@x.example, bob@x.example] }, inRules]
	`);

	it.each(same)('returns it after one request when the service %s', async (_how, row) => {
		const { items, error } = await encodeAgain(...row);

		expect(error).toBeUndefined();
		expect(withoutSettings(items)).toEqual([{ ...existing[0], reused: true }]);
		expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
	});

	const different = rowsOf<[rules: unknown, details: string, asked?: keyof typeof questions]>(`
		another recipient: [{ recipients: [anna@x.example, eve@x.example], time: { end: ${end} } }, "Its recipients: anna@x.example, eve@x.example instead of anna@x.example, bob@x.example."]
		no recipients: [{ time: { end: ${end} } }, "Its recipients: none instead of anna@x.example"]
		a moment on another day: [{ recipients: [anna@x.example, bob@x.example], time: { end: "2099-12-30T23:00:00Z" } }, "Its last day: 2099-12-30 instead of 2099-12-31."]
		an end that can't be read where none was asked for: [{ time: { end: 31/12/2099 } }, 'Its last day: {"end":"31/12/2099"} instead of none.', openToAll]
		no end where JSON asks for one that can't be read: [{ recipients: [anna@x.example, bob@x.example] }, 'Its last day: none instead of {"end":"31/12/2099"}.', slashes]
		download where none was asked for: [{ recipients: [anna@x.example, bob@x.example], time: { end: ${end} }, downloadable: true }, Its files can be downloaded.]
		both otherwise: [{}, "bob@x.example. Its last day: none instead of 2099-12-31. Change the rules of the container with DRM > Update (its ID is c-old)"]
	`);

	it.each(different)('is an error that says what differs when it has %s', async (_what, row) => {
		const [rules, details, question] = row;
		const { items, error } = await encodeAgain(rules, question);

		expect(error?.message).toBe(
			'A container named "Invoice" already exists with other access rules [item 0]',
		);
		expect(error?.description).toContain('Nothing was uploaded.');
		expect(error?.description).toContain(details);
		expect(items).toEqual([]);
	});

	it('returns the one that fits of several with one name', async () => {
		show(existing[0], { uuid: 'c-2', name: 'Invoice' });
		service.get('/containers/c-old/drm').reply(200, { recipients: ['eve@x.example'] });
		service.get('/containers/c-2/drm').reply(200, { recipients, time: { end } });

		const { items } = await encode(questions.fields, reuse);

		expect(withoutSettings(items)).toMatchObject([{ container: { uuid: 'c-2' }, reused: true }]);
	});
});
