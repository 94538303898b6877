import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Item } from '../../../../../nodes/EncryptedContainers/execution/item';
import {
	readModifyWrite,
	type RulesTask,
} from '../../../../../nodes/EncryptedContainers/resources/drm/readModifyWrite';
import { endAccess } from '../../../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import { Parameters } from '../../../../../nodes/shared/parameters/fields';
import { parseUpdate } from '../../../../../nodes/EncryptedContainers/resources/drm/update.operation';
import { Calendar } from '../../../../../nodes/shared/parameters/calendar';
import { delay } from '../../../../../nodes/shared/client/delay';
import { rowsOf } from '../../../../support/texts.cts';
import { errorOf, setUpClient } from '../../../support/client.cts';

jest.mock<object>('../../../../../nodes/shared/client/delay', () => ({
	...jest.requireActual<object>('../../../../../nodes/shared/client/delay'),
	delay: jest.fn(),
}));

const waited = () =>
	jest.mocked(delay).mock.calls.reduce((sum, [milliseconds]) => sum + milliseconds, 0);

beforeEach(() => jest.mocked(delay).mockReset());

const current = (): IDataObject => ({
	...{ dynamic: true, downloadable: false, opens: 5, geo: { allow: [{ country: 'CH' }] } },
	time: { end: '2099-12-31' },
	recipients: ['anna@x.example', 'bob@x.example', 'carl@x.example'],
});

/** Merges at the top level (docs/openapi.yaml, updateDrmRules). */
function merge(state: IDataObject, patch: IDataObject): IDataObject {
	const all = Object.entries({ ...state, ...patch });
	return Object.fromEntries(all.filter(([, value]) => value !== null)) as IDataObject;
}

/** What a service does with a change: the rules that it has then, if they are others, and its response. */
type OnPatch = (
	rules: IDataObject,
	patch: IDataObject,
) => { state?: IDataObject; body?: unknown; status?: number };

/** A service with one container, and an item that changes its rules. Its first reads after a change can be old. */
function setUpService(
	first: IDataObject,
	onPatch: OnPatch = (rules, patch) => ({ state: merge(rules, patch), body: merge(rules, patch) }),
	oldReads = 0,
) {
	const { client, replies, sent } = setUpClient([]);
	const features: string[] = [];
	jest.spyOn(client, 'getCurrentUser').mockResolvedValue({ id: 'u-1', features });
	/** What the item keeps for its next try. */
	const changes = new Map<string, unknown>();
	const states = [first];
	const hints: string[] = [];
	const now = () => states[states.length - 1];
	let reads = 0;
	jest.spyOn(replies, 'shift').mockImplementation(() => {
		const { method, body: json } = sent[sent.length - 1];
		if (method !== 'PATCH') {
			reads += 1;
			const body = states.length > 1 && reads <= 1 + oldReads ? first : now();
			return { body, headers: { etag: '"1"' } };
		}
		const { state, ...reply } = onPatch(now(), JSON.parse(String(json)) as IDataObject);
		if (state !== undefined) states.push(state);
		return reply;
	});
	const change = async (parameters: IDataObject, isRevocation = false) => {
		const get = (name: string, preset: unknown) => parameters[name] ?? preset;
		const signal = new AbortController().signal;
		const item = Object.assign(new Parameters(parameters as INodeParameters, get), {
			...{ client, secrets: [], hide: () => undefined, timeZone: 'UTC' },
			getCalendar: async () => await Promise.resolve(new Calendar('UTC')),
			execution: { signal, addHint: (hint: string) => hints.push(hint) },
			noteChange: (id: string, made: unknown) => changes.set(id, made),
			recallChange: (id: string) => changes.get(id),
			runAlone: async (_key: string, task: () => Promise<unknown>) => await task(),
		}) as unknown as Item;
		const task: RulesTask = isRevocation
			? { needs: [], decide: (shown) => ({ patch: endAccess(shown) }) }
			: (await parseUpdate(item)).task;
		const { changed, shown } = await readModifyWrite(item, { id: 'c-1', name: 'Invoice' }, task);
		return { changed, rules: shown.record };
	};
	return {
		update: async (rules: IDataObject) => await change({ specifyRules: 'fields', rules }),
		updateInJson: async (rulesJson: unknown) =>
			await change({ specifyRules: 'json', rulesJson: rulesJson as IDataObject }),
		revoke: async () => await change({}, true),
		...{ sent, hints, features, rules: now },
		methods: () => sent.map(({ method }) => method).join(' '),
		bodies: () =>
			sent
				.filter(({ method }) => method === 'PATCH')
				.map(({ body }) => JSON.parse(String(body)) as unknown),
	};
}

describe('a change of rules', () => {
	it.each(
		rowsOf<IDataObject>(`
			what is off: { downloadable: null, opens: 0 }
			recipients as objects: { recipients: [{ email: anna@x.example }] }
			seconds: { time: { end: 4102444799 } }
			forms that nobody knows: { opens: many, ip: 5, geo: [CH], recipients: { 0: anna@x.example }, time: never }
		`),
	)('sends nothing else back, and ends access: %s', async (_what, odd) => {
		const set = setUpService({ ...current(), ...odd });

		expect(await set.update({ dynamic: false })).toMatchObject({ changed: true });
		expect(set.bodies()).toEqual([{ dynamic: false }]);
		expect(set.methods()).toBe('GET PATCH');

		const other = setUpService({ ...current(), ...odd });
		expect(await other.revoke()).toMatchObject({ changed: true });
		expect(Object.keys(other.bodies()[0] as object)).toEqual(['time']);
		expect(waited()).toBe(0);
	});

	it('sends the version that it read, and gives up where somebody else changes them each time', async () => {
		const set = setUpService(current(), () => ({ status: 412 }));

		const { message, description } = await errorOf(set.revoke());
		expect(message).toBe('The service did not change the rules of "Invoice" (c-1)');
		expect(description).toContain('run the workflow again');
		expect(set.bodies()).toHaveLength(5);
		expect(set.sent[9].headers).toMatchObject({ 'If-Match': '"1"' });
		expect(waited()).toBe(3750);
	});

	it('names its container in an error of the service', async () => {
		const set = setUpService(current(), () => ({ status: 500 }));

		const { description } = await errorOf(set.update({ opens: 1 }));
		expect(description).toMatch(/ Container: "Invoice", "c-1"\.$/);
	});

	it('sends a start in the past only where it was entered', async () => {
		const set = setUpService({ ...current(), time: { start: '2020-01-01', end: '2098-12-31' } });
		await set.update({ timeEnd: '2099-12-31' });
		await set.update({ timeStart: '2021-01-01' });

		const start = '2021-01-01';
		const end = '2099-12-31';
		expect(set.bodies()).toEqual([{ time: { end } }, { time: { start, end } }]);
	});

	it('is decided anew where the service says that it did not make the one that was in doubt', async () => {
		const statuses = [502, 412];
		const set = setUpService(current(), (rules, patch) => {
			const status = statuses.shift();
			return status === undefined ? { state: merge(rules, patch) } : { status };
		});
		set.features.push('idempotency_key');

		await errorOf(set.update({ opens: 1 }));
		expect(await set.update({ opens: 1 })).toMatchObject({ changed: true, rules: { opens: 1 } });
		expect(set.methods()).toBe('GET PATCH PATCH GET PATCH GET');
		const changes = set.sent.filter(({ method }) => method === 'PATCH');
		const [first, again, anew] = changes.map(({ headers }) => headers?.['Idempotency-Key']);
		expect([again === first, anew === first]).toEqual([true, false]);
	});

	it('is not made twice where the first one was in doubt, and the service shows its end as a moment', async () => {
		const time = { end: '2100-01-06T23:00:00.000Z' };
		const set = setUpService(current(), () => ({ state: { ...current(), time }, status: 502 }));

		await errorOf(set.update({ extendByDays: 7 }));
		expect(await set.update({ extendByDays: 7 })).toMatchObject({ changed: true });
		expect(set.bodies()).toEqual([{ time: { end: '2100-01-07' } }]);
	});

	it('gives back at once what a service drops that replaces all rules', async () => {
		const set = setUpService(current(), (_rules, patch) => ({ state: patch, body: patch }));

		await set.update({ removeRecipients: 'bob@x.example' });

		expect(set.rules()).toEqual({
			...current(),
			recipients: ['anna@x.example', 'carl@x.example'],
		});
		expect(set.hints).toEqual([
			'The service dropped rules (dynamic, geo, opens, time, downloadable), and the node sent them again.',
		]);
		expect(waited()).toBe(250);
	});

	it('fails where a service takes back no rules that it dropped, which are sent once', async () => {
		const set = setUpService(current(), () => ({ state: { opens: 1 } }));

		const { message, description } = await errorOf(set.update({ opens: 1 }));
		expect(message).toContain('still shows the rules without dynamic');
		expect(description).toContain('read the rules for ten seconds');
		expect(set.bodies()).toHaveLength(2);
	});
});

describe('what shows after a change', () => {
	it.each([
		['nothing', ''],
		['a message', { message: 'Updated' }],
		['the record', { uuid: 'c-1', name: 'Invoice', status: 'locked' }],
		['only what changed', { opens: 1 }],
	])('is read once where the response is %s', async (_what, body) => {
		const set = setUpService(current(), (rules, patch) => ({ state: merge(rules, patch), body }));

		expect(await set.update({ opens: 1 })).toMatchObject({ changed: true, rules: { opens: 1 } });
		expect(set.methods()).toBe('GET PATCH GET');
	});

	it('is read again until it shows', async () => {
		const set = setUpService(current(), (rules, patch) => ({ state: merge(rules, patch) }), 3);

		expect(await set.revoke()).toMatchObject({ changed: true });
		expect([waited(), set.hints]).toEqual([1750, []]);
	});

	it('is told after ten seconds, where it is less access than wanted', async () => {
		const set = setUpService(current(), () => ({}));

		await set.update({ addRecipients: 'dora@x.example' });

		expect(waited()).toBe(10_000);
		expect(set.hints).toEqual([
			'The service still shows old rules of "Invoice" (c-1): the recipients without dora@x.example.',
		]);
	});

	it('can be a later end where it was extended, because somebody else can extend it, too', async () => {
		const later = { ...current(), time: { end: '2100-06-30' } };
		const set = setUpService(current(), () => ({ state: later }));

		expect(await set.update({ extendByDays: 7 })).toMatchObject({ changed: true });
		expect([waited(), set.hints]).toEqual([0, []]);
	});

	it.each<[string, IDataObject, string]>([
		['a removal', { removeRecipients: 'bob@x.example' }, 'the recipient bob@x.example'],
		['an earlier end', { timeEnd: '2098-12-31' }, 'the end 2099-12-31'],
	])('is an error where it is more access than wanted: %s', async (_what, fields, text) => {
		const set = setUpService(current(), () => ({ body: { message: 'Queued' } }));

		const error = await errorOf(set.update(fields));

		expect(error.message).toBe(`The service still shows ${text} for "Invoice" (c-1)`);
		expect(error.description).toContain('The service answered: Queued.');
		expect([set.bodies().length, waited()]).toEqual([1, 10_000]);
	});
});

describe('rules in JSON', () => {
	it.each<[string, unknown, IDataObject]>([
		[
			'the output of Get, of another container',
			{ containerId: 'c-2', id: 7, ...current(), opens: 1 },
			{ opens: 1 },
		],
		['the output of Update', { ...current(), opens: 1, changed: true }, { opens: 1 }],
		['rules in an envelope', { data: { drm: { ...current(), opens: 1 } } }, { opens: 1 }],
		['a moment', { time: { end: '2098-12-31T00:00:00.000Z' } }, { time: { end: '2098-12-31' } }],
		['a form of its own', { time: { end: '31/12/2098' } }, { time: { end: '31/12/2098' } }],
		[
			'recipients as objects',
			{ recipients: [{ email: 'a@x.example' }] },
			{ recipients: ['a@x.example'] },
		],
		['a rule without a field', '{ "watermark": true }', { watermark: true }],
		['what clears a rule', { opens: null, geo: {}, ip: [] }, { opens: null, geo: null }],
		['no end', { time: { end: null } }, { time: null }],
	])('are sent where they differ: %s', async (_what, rulesJson, sent) => {
		const set = setUpService(current());

		expect(await set.updateInJson(rulesJson)).toMatchObject({ changed: true });
		expect(set.bodies()).toEqual([sent]);
	});

	it.each<[unknown, string]>([
		[{ recipients: ['*@*'] }, '"*@*" in "Rules (JSON)" stands for everybody'],
		[{ recipients: { 0: 'a@x.example' } }, 'in "Rules (JSON)" is not an email address'],
		[{ drm: { recipients: [] } }, '"Rules (JSON)" would remove all recipients'],
		[{ containerId: 'c-1', changed: true }, '"Rules (JSON)" is empty'],
	])('are refused: %j', async (rulesJson, message) => {
		const set = setUpService(current());

		expect((await errorOf(set.updateInJson(rulesJson))).message).toContain(message);
		expect(set.sent).toEqual([]);
	});
});

describe('limits to remove', () => {
	const time = { start: '2099-01-01', end: '2099-12-31' };

	it.each<[string[], IDataObject, IDataObject]>([
		[['opens', 'geo', 'ip'], {}, { opens: null, geo: null }],
		[['timeEnd'], {}, { time: { start: '2099-01-01' } }],
		[['timeStart', 'timeEnd'], {}, { time: null }],
		[['timeStart'], { timeEnd: '2099-06-30' }, { time: { end: '2099-06-30' } }],
	])('%j with %j are sent as %j', async (removeRules, fields, sent) => {
		const set = setUpService({ ...current(), time });

		await set.update({ ...fields, removeRules });

		expect(set.bodies()).toEqual([sent]);
	});

	it.each<[IDataObject, string]>([
		[{ removeRules: ['opens'], opens: 1 }, '"Limits to Remove" and "Max Opens"'],
		[{ removeRules: ['timeEnd'], extendByDays: 1 }, '"Limits to Remove" and "Days to Extend'],
		[{ removeRules: ['geo'], geoBlock: ['CH'] }, '"Limits to Remove" and "Countries Blocked"'],
		[{ removeRules: ['password'] }, '"Limits to Remove" has an unknown value'],
		[{ removeRules: [] }, '"Limits to Remove" is empty'],
	])('are refused: %j', async (fields, message) => {
		const set = setUpService(current());

		expect((await errorOf(set.update(fields))).message).toContain(message);
		expect(set.sent).toEqual([]);
	});
});
