import type { IDataObject } from 'n8n-workflow';
import { delay } from '../../../../../nodes/shared/client/delay';
import { errorOf } from '../../../support/client.cts';
import { rowsOf } from '../../../../support/texts.cts';
import { current, merge, setUpService } from '../../../support/rulesService.cts';

jest.mock<object>('../../../../../nodes/shared/client/delay', () => ({
	...jest.requireActual<object>('../../../../../nodes/shared/client/delay'),
	delay: jest.fn(),
}));

const waited = () =>
	jest.mocked(delay).mock.calls.reduce((sum, [milliseconds]) => sum + milliseconds, 0);

beforeEach(() => jest.mocked(delay).mockReset());

describe('a change of rules', () => {
	it('sends only what changes, with the version that was read', async () => {
		const set = setUpService(current(), { hasETag: true });

		const fields = { opens: 1, timeEnd: '2099-06-30', downloadable: false };
		expect(await set.update(fields)).toMatchObject({ changed: true, rules: { opens: 1 } });

		expect(set.bodies()).toEqual([{ opens: 1, time: { end: '2099-06-30' } }]);
		expect(set.sent[1].headers).toMatchObject({ 'If-Match': '"1"' });
		expect(set.methods()).toBe('GET PATCH');
	});

	it.each(
		rowsOf<IDataObject>(`
			what is empty: { ip: [], geo: [], opens: 0 }
			recipients as objects: { recipients: [{ email: anna@x.example }] }
			moments: { time: { start: "2020-01-01T00:00:00Z", end: "2099-12-31T23:59:59Z" } }
			seconds: { time: { end: 4102444799 } }
			forms that nobody knows: { opens: many, ip: 5, geo: [CH], recipients: { 0: anna@x.example }, time: never }
		`),
	)('sends nothing else back, and ends access: %s', async (_what, odd) => {
		const set = setUpService({ ...current(), ...odd });

		expect(await set.update({ downloadable: true })).toMatchObject({ changed: true });
		expect(await set.revoke()).toMatchObject({ changed: true });

		expect(set.bodies()[0]).toEqual({ downloadable: true });
		expect(Object.keys(set.bodies()[1])).toEqual(['time']);
		expect(waited()).toBe(0);
	});

	it('begins again where somebody else changed the rules after they were read', async () => {
		const set = setUpService(current(), { hasETag: true });
		const { show } = set.service;
		let others = 2;
		set.service.show = (state) => {
			others -= 1;
			if (others >= 0) set.set({ ...set.rules(), recipients: [`other${others}@x.example`] });
			return show(state);
		};
		// The tag is that of the state before.
		await set.update({ addRecipients: 'dora@x.example' });

		expect(set.rules().recipients).toEqual(['other0@x.example', 'dora@x.example']);
	});

	it('gives up where the rules change each time', async () => {
		const set = setUpService(current(), { hasETag: true });
		set.service.onPatch = () => ({ status: 412 });

		const { message, description } = await errorOf(set.revoke());
		expect(message).toBe('Somebody else keeps changing the rules of "Invoice" (c-1)');
		expect(description).toContain('Run it again.');
		expect(set.bodies()).toHaveLength(5);
		expect(waited()).toBe(3750);
	});

	it('gives back at once what a service drops that replaces all rules', async () => {
		const set = setUpService(current());
		set.service.onPatch = (patch) => ({ state: patch, body: patch });

		await set.update({ removeRecipients: 'bob@x.example' });

		expect(set.rules()).toEqual({
			...current(),
			// Off is the same as missing.
			downloadable: undefined,
			recipients: ['anna@x.example', 'carl@x.example'],
		});
		expect(set.hints).toEqual([
			'The service dropped the rules that were not sent (dynamic, geo, opens, time). The node restored them.',
		]);
		expect(waited()).toBe(0);
	});

	it('fails where a service takes back no rules that it dropped', async () => {
		const set = setUpService(current());
		set.service.onPatch = () => ({ state: { opens: 1 } });

		expect((await errorOf(set.update({ opens: 1 }))).message).toContain('dropped other rules');
	});
});

describe('what shows after a change', () => {
	it.each([
		['nothing', ''],
		['a message', { message: 'Updated' }],
		['the record', { uuid: 'c-1', name: 'Invoice', status: 'locked' }],
		['only what changed', { opens: 1 }],
	])('is read once where the response is %s', async (_what, body) => {
		const set = setUpService(current());
		set.service.onPatch = (patch) => ({ state: merge(set.rules(), patch), body });

		expect(await set.update({ opens: 1 })).toMatchObject({ changed: true, rules: { opens: 1 } });
		expect(set.methods()).toBe('GET PATCH GET');
	});

	it('is read again for ten seconds, and then told where it is less access than wanted', async () => {
		const set = setUpService(current());
		set.service.onPatch = (patch) => {
			set.fallBehind(3);
			return { state: merge(set.rules(), patch) };
		};
		await set.revoke();
		expect(waited()).toBe(1750);
		expect(set.hints).toEqual([]);

		jest.mocked(delay).mockReset();
		set.service.onPatch = () => ({});
		await set.update({ addRecipients: 'dora@x.example' });
		expect(waited()).toBe(10_000);
		expect(set.hints).toEqual([
			'The service still shows the old rules of "Invoice" (c-1): the recipients without dora@x.example.',
		]);
	});

	it.each<[string, IDataObject, string]>([
		['a removal', { removeRecipients: 'bob@x.example' }, 'the recipient bob@x.example'],
		['another list', { recipients: 'dora@x.example' }, 'the recipient anna@x.example'],
		['an earlier end', { timeEnd: '2098-12-31' }, 'the end 2099-12-31'],
	])('is an error where it is more access than wanted: %s', async (_what, fields, text) => {
		const set = setUpService(current());
		set.service.onPatch = () => ({ body: { message: 'Queued' } });

		const error = await errorOf(set.update(fields));

		expect(error.message).toBe(`The service still shows ${text} for "Invoice" (c-1)`);
		expect(error.description).toContain('The service answered: Queued.');
		expect(set.bodies()).toHaveLength(1);
		expect(waited()).toBe(10_000);
	});
});

describe('a change whose response was lost', () => {
	const lose = (set: ReturnType<typeof setUpService>) => {
		set.service.onPatch = (patch) => {
			set.service.onPatch = (next) => ({ state: merge(set.rules(), next) });
			return { status: 504, state: merge(set.rules(), patch) };
		};
	};

	it('is not made again by its item, and is not taken for that of another', async () => {
		const set = setUpService(current());
		lose(set);
		const [first, second] = [set.createItem(), set.createItem()];

		await errorOf(first.update({ extendByDays: 10 }));
		expect(await second.update({ extendByDays: 10 })).toMatchObject({ changed: true });
		expect(await first.update({ extendByDays: 10 })).toMatchObject({ changed: true });

		expect(set.rules()).toMatchObject({ time: { end: '2100-01-20' } });
		expect(set.bodies()).toHaveLength(2);
	});
});

describe('rules in JSON', () => {
	it.each<[string, unknown, IDataObject]>([
		['text', '{ "opens": 1 }', { opens: 1 }],
		[
			'the output of Access Rules (DRM) > Get',
			{ containerId: 'c-1', ...current(), opens: 1 },
			{ opens: 1 },
		],
		['of another container', { containerId: 'c-2', id: 7, ...current(), opens: 1 }, { opens: 1 }],
		[
			'the output of Access Rules (DRM) > Update',
			{ ...current(), opens: 1, changed: true },
			{ opens: 1 },
		],
		['rules under a name', { drm: { opens: 1 } }, { opens: 1 }],
		['rules in an envelope', { data: { drm: { ...current(), opens: 1 } } }, { opens: 1 }],
		['a moment', { time: { end: '2098-12-31T00:00:00.000Z' } }, { time: { end: '2098-12-31' } }],
		['a form of its own', { time: { end: '31/12/2098' } }, { time: { end: '31/12/2098' } }],
		[
			'recipients as objects',
			{ recipients: [{ email: 'a@x.example' }] },
			{ recipients: ['a@x.example'] },
		],
		['a rule without a field', { watermark: true }, { watermark: true }],
		['what clears a rule', { opens: null, geo: {}, ip: [] }, { opens: null, geo: null }],
		['no end', { time: { end: null } }, { time: null }],
	])('are sent where they differ: %s', async (_what, rulesJson, sent) => {
		const set = setUpService(current());

		expect(await set.update({ rulesJson: rulesJson as IDataObject })).toMatchObject({
			changed: true,
		});
		expect(set.bodies()).toEqual([sent]);
	});

	it.each<[unknown, string]>([
		[{ recipients: ['*@*'] }, '"*@*" in "Rules (JSON)" stands for everybody'],
		[{ recipients: { 0: 'a@x.example' } }, 'in "Rules (JSON)" is not an email address'],
		[{ drm: { recipients: [] } }, '"Rules (JSON)" would remove all recipients'],
		[{ containerId: 'c-1', changed: true }, '"Rules (JSON)" contains no rule'],
		[{ time: { end: new Date('never') } }, '"end" in "Rules (JSON)" is not a date'],
		['{ "time": { "end": "Invalid DateTime" } }', '"end" in "Rules (JSON)" is not a date'],
	])('are refused: %j', async (rulesJson, message) => {
		const set = setUpService(current());

		const error = await errorOf(set.update({ rulesJson: rulesJson as IDataObject }));
		expect(error.message).toContain(message);
		expect(set.sent).toEqual([]);
	});
});

describe('limits to remove', () => {
	it.each<[string[], IDataObject, IDataObject]>([
		[['opens', 'geo', 'ip'], {}, { opens: null, geo: null }],
		[['timeEnd'], {}, { time: null }],
		[['timeStart'], {}, { time: { end: '2099-12-31' } }],
		[['timeStart', 'timeEnd'], {}, { time: null }],
		[['timeStart'], { timeEnd: '2099-06-30' }, { time: { end: '2099-06-30' } }],
	])('%j with %j are sent as %j', async (removeRules, fields, sent) => {
		const time = { start: '2099-01-01', end: '2099-12-31' };
		const set = setUpService({
			...current(),
			...(removeRules.includes('timeStart') ? { time } : {}),
		});

		await set.update({ ...fields, removeRules });

		expect(set.bodies()).toEqual([sent]);
	});

	it.each<[IDataObject, string]>([
		[{ removeRules: ['opens'], opens: 1 }, '"Limits to Remove" and "Maximum Opens"'],
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
