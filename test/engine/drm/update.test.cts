import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { itemsWith, outputOf } from '../support/operations.cts';
import { dayFromNow } from '../support/polling.cts';
import {
	currentRules,
	mockRules,
	output,
	path,
	rules,
	rulesInJson,
	update,
	withoutCurrentRules,
} from '../support/rules.cts';
import {
	invalidRecords,
	responsesWithoutRecord,
	unusableResponses,
	type WrongShape,
} from '../support/shapes.cts';

const service = mockService();

const ZONES = ['Etc/GMT+12', 'UTC', 'Etc/GMT-14'];
const withTime = (time: IDataObject) => ({ ...currentRules(), time });
const methods = () => service.requests.map(({ method }) => method).join(' ');
const show = (held: IDataObject) => service.get(path).reply(200, held as object);

describe('keeping other rules', () => {
	it.each(['merge', 'replace'] as const)(
		'keeps them with a service that applies changes as: %s',
		async (keys) => {
			const store = mockRules(service, currentRules(), { keys });
			const expected = {
				...currentRules(),
				opens: 1,
				time: { start: '2026-01-01', end: '2099-06-30' },
			};

			expect(await outputOf(update(rules({ opens: 1, timeEnd: '2099-06-30' })))).toEqual([
				output(expected),
			]);
			expect(store.rules).toEqual(expected);
			expect(store.changes).toEqual([expected]);
			expect(methods()).toBe('GET PATCH');
		},
	);

	it.each([
		['at the top level', (held: IDataObject) => held],
		['under data', (held: IDataObject) => ({ status: 'ok', data: held })],
		[
			'in an envelope',
			(held: IDataObject) => ({ org_id: 'u', container: { uuid: 'c', drm: held } }),
		],
	])('sends only the seven documented keys, from any place: %s', async (_where, hold) => {
		show(hold({ ...currentRules(), uuid: 'c-1', updated_date: 'now', version: 7 }));
		service.patch(path).reply(204);

		await update(rules({ downloadable: true }));

		expect(service.requests[1].body).toEqual({ ...currentRules(), downloadable: true });
	});

	it.each<[string, IDataObject, IDataObject]>([
		['a start', { timeStart: '2026-06-01' }, { time: { start: '2026-06-01', end: '2099-12-31' } }],
		[
			'a list, replaced',
			{ geoAllow: ['DE'] },
			{ geo: { allow: [{ country: 'DE' }], block: [{ country: 'KP' }] } },
		],
		['recipients, replaced', { recipients: '*@example.org' }, { recipients: ['*@example.org'] }],
		[
			'added recipients',
			{ addRecipients: 'carl@example.com, ANNA@example.com' },
			{ recipients: ['anna@example.com', 'bob@example.com', 'carl@example.com'] },
		],
		[
			'all three',
			{
				recipients: 'x@example.com',
				addRecipients: ['y@example.com'],
				removeRecipients: 'bob@example.com',
			},
			{ recipients: ['x@example.com', 'y@example.com'] },
		],
		['a switch', { dynamic: false }, { dynamic: false }],
	])('changes %s, and nothing else', async (_what, fields, changed) => {
		const store = mockRules(service, currentRules(), { keys: 'replace' });

		await outputOf(update(rules(fields)));

		expect(store.rules).toEqual({ ...currentRules(), ...changed });
	});

	it('starts with no rules when the service returns an empty object', async () => {
		const store = mockRules(service, {});

		await update(rules({ addRecipients: 'a@example.com' }));

		expect(store.changes).toEqual([{ recipients: ['a@example.com'] }]);
	});

	it.each<WrongShape>([
		...invalidRecords,
		{
			shape: 'missing from the response',
			reply: [200, '{"message":"ok","status":1}'],
			message: /an object with the fields message, status instead of access rules/,
		},
	])('sends nothing when the current rules are $shape', async (shape) => {
		service.get(path).reply(...shape.reply);

		expect((await update()).error?.message).toMatch(shape.message);
	});

	it.each<[string, IDataObject, IDataObject, RegExp, RegExp]>([
		[
			'the rules are fixed',
			{ ...currentRules(), dynamic: false },
			{ opens: 1 },
			/The rules of the container "c-1" can't change: it was encrypted without .* \[item 0\]/,
			/To end access, delete the container\./,
		],
		[
			'the window would end before it starts',
			withTime({ start: '2099-06-01', end: '2099-12-31' }),
			{ timeEnd: '2099-05-31' },
			/"Available Until" \(2099-05-31\) is before "Available From" \(2099-06-01\)/,
			/\w/,
		],
		[
			'a number of days would end before it starts',
			withTime({ start: '2099-06-01' }),
			{ accessDays: 0 },
			/"Days Until Access Ends" \(.*\) is before "Available From" \(2099-06-01\)/,
			/\w/,
		],
		[
			'no recipient would remain',
			currentRules(),
			{ removeRecipients: 'anna@example.com; bob@example.com' },
			/"Recipients: Remove" would remove all recipients/,
			/\w/,
		],
		[
			'the current end cannot be read',
			withTime({ end: '12/31/2099' }),
			{ extendByDays: 7 },
			/current end of the container "c-1" is not a date that can be read \[item 0\]/,
			/12\/31\/2099/,
		],
		...[true, false].map((dynamic): [string, IDataObject, IDataObject, RegExp, RegExp] => [
			`a removed recipient would still have access (dynamic: ${dynamic})`,
			{ ...currentRules(), dynamic, recipients: ['bob@example.com', '*@Example.com'] },
			{ removeRecipients: 'Bob@example.com' },
			/"Bob@example\.com" would still have access through the recipient "\*@Example\.com" \[item 0\]/,
			/Nothing was changed.*"Recipients: Remove" too/,
		]),
	])('is rejected, and nothing is sent, when %s', async (_when, held, fields, message, advice) => {
		show(held);

		const { error, items } = await update(rules(fields));

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(items).toEqual([]);
		expect(methods()).toBe('GET');
	});
});

describe('sending only the given rules', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['a number', { opens: '3' }, { opens: 3 }],
		['an end', { timeEnd: '2099-12-31T00:00:00' }, { time: { end: '2099-12-31' } }],
		['recipients', { recipients: 'a@example.com' }, { recipients: ['a@example.com'] }],
	])('is one request: %s', async (_what, fields, body) => {
		service.patch(path).reply(204);

		await update(rules(fields), withoutCurrentRules);

		expect(service.requests.map((request) => request.body)).toEqual([body]);
	});

	it('fetches the recipients when some are removed, and sends no other rule', async () => {
		const store = mockRules(service, currentRules());

		await update(rules({ opens: 2, removeRecipients: 'bob@example.com' }), withoutCurrentRules);

		expect(store.changes).toEqual([{ opens: 2, recipients: ['anna@example.com'] }]);
	});

	it("explains fixed rules when the service refuses, and quotes the service's message", async () => {
		service.patch(path).reply(409, { message: 'The rules are sealed' });

		const { error } = await update({}, withoutCurrentRules);

		expect(error?.message).toMatch(/can't change the rules of the container in the current state/);
		expect(error?.description).toMatch(
			/"c-1" was encrypted without "Allow Changes Later".*The rules are sealed/,
		);
	});

	it.each([{ ...currentRules(), opens: 1 }, { data: { opens: 1 } }])(
		"returns the service's response: %j",
		async (shown) => {
			service.patch(path).reply(200, shown);

			expect(await outputOf(update({}, withoutCurrentRules))).toEqual([output(shown)]);
		},
	);

	it.each(responsesWithoutRecord)('returns success for $shape', async ({ reply }) => {
		service.patch(path).reply(...reply);

		expect(await outputOf(update({}, withoutCurrentRules))).toEqual([output({ success: true })]);
	});

	it.each(unusableResponses)('fails when the service responds with $shape', async (shape) => {
		service.patch(path).reply(...shape.reply);

		expect((await update({}, withoutCurrentRules)).error?.message).toMatch(shape.message);
	});
});

describe('a change that changes nothing', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['a recipient that nobody added', rules({ removeRecipients: 'zoe@example.com' }), {}],
		['several rules', rules({ opens: 5, ipAllow: '192.0.2.1', geoAllow: ['CH'] }), {}],
		['the same end', rules({ timeEnd: '2099-12-31' }), {}],
		['JSON', rulesInJson({ opens: 5, ip: { block: [] } }), {}],
		['only given rules', rules({ removeRecipients: 'zoe@example.com' }), withoutCurrentRules],
	])('sends nothing and returns the current rules: %s', async (_what, parameters, options) => {
		for (const dynamic of [true, false]) {
			const current = { ...currentRules(), dynamic };
			show(current);

			expect(await outputOf(update(parameters, options))).toEqual([output(current, false)]);
		}
		expect(methods()).toBe('GET GET');
	});

	it.each<[string, IDataObject, IDataObject]>([
		['an end that shows a time', { end: '2099-12-31T08:00:00Z' }, { timeEnd: '2099-12-31' }],
		[
			'an end on the day of the start',
			{ start: '2099-06-01T08:00:00Z' },
			{ timeEnd: '2099-06-01' },
		],
	])(
		'is not one with a day that the service shows with a time: %s',
		async (_what, time, fields) => {
			service.contract.depart({ drmTimes: 'timestamp' });
			const store = mockRules(service, withTime(time));

			await outputOf(update(rules(fields)));

			expect(store.changes).toHaveLength(1);
		},
	);
});

describe('days', () => {
	it.each([
		['what the editor stores', '2099-12-31T00:00:00', 'Pacific/Auckland', '2099-12-31'],
		['a moment, west of UTC', '2099-12-31T02:00:00Z', 'America/Los_Angeles', '2099-12-30'],
		['a DateTime', '={{ DateTime.fromISO("2099-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2100-01-01'],
		['a Date', '={{ new Date("2099-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2100-01-01'],
		['a field of the item', '={{ $json.until }}', 'Asia/Kolkata', '2100-01-01'],
	])('are in the time zone of the workflow: %s', async (_what, timeEnd, timezone, day) => {
		service.patch(path).reply(204);
		const items = [{ json: { id: 'c-1', until: '2099-12-31T18:30:00Z' } }];

		await outputOf(update(rules({ timeEnd }), withoutCurrentRules, { timezone, items }));

		expect(service.requests[0].body).toEqual({ time: { end: day } });
	});

	it.each(ZONES)('can be relative to now, in %s', async (timezone) => {
		const before = [0, 7, 30].map((days) => dayFromNow(days, timezone));
		for (const [held, fields] of [
			[{}, { timeEnd: '={{ $now }}' }],
			[{ end: dayFromNow(-1, timezone) }, { extendByDays: 7 }],
			[{}, { accessDays: 30 }],
		] as IDataObject[][]) {
			mockRules(service, withTime(held));
			await outputOf(update(rules(fields), {}, { timezone }));
		}

		const sent = service.requests.filter(({ method }) => method === 'PATCH');
		const ends = sent.map(({ body }) => (body as { time: { end: string } }).time.end);
		expect([before, [0, 7, 30].map((days) => dayFromNow(days, timezone))]).toContainEqual(ends);
	});
});

describe('the number of days to extend access', () => {
	it.each([{}, withoutCurrentRules])('moves the current end with %j', async (options) => {
		const store = mockRules(service, currentRules());
		const end = '2100-01-07';

		const [shown] = await outputOf(update(rules({ extendByDays: 7 }), options));

		const all = withTime({ start: '2026-01-01', end });
		expect(store.changes).toEqual(['keepOtherRules' in options ? { time: { end } } : all]);
		expect(shown).toMatchObject({ containerId: 'c-1', time: { end } });
		expect(methods()).toBe('GET PATCH');
	});

	it('adds up for several items with the same container', async () => {
		const store = mockRules(service, currentRules(), { reads: 2, changes: 2 });

		await update(rules({ extendByDays: 7 }), {}, { items: itemsWith('c-1', 'c-1') });

		expect(store.changes.map(({ time }) => (time as IDataObject).end)).toEqual([
			'2100-01-07',
			'2100-01-14',
		]);
	});

	it.each([
		['no window', {}],
		['an end that stands for none', { time: { end: '9999-12-31' } }],
	])('sends nothing for a container with %s, and returns its rules', async (_what, time) => {
		for (const options of [{}, withoutCurrentRules]) {
			show({ dynamic: true, ...time });

			expect(await outputOf(update(rules({ extendByDays: 7 }), options))).toEqual([
				output({ dynamic: true, ...time }, false),
			]);
		}
		expect(methods()).toBe('GET GET');
	});

	it('sends the other rules where the container has no end', async () => {
		const store = mockRules(service, { dynamic: true });

		await outputOf(update(rules({ extendByDays: 7, opens: 1 })));

		expect(store.changes).toEqual([{ dynamic: true, opens: 1 }]);
	});
});

describe('two items that change the same container', () => {
	const items = ['carl', 'dora', 'eve'].map((name) => ({
		json: {
			id: 'c-1',
			add: `${name}@example.com`,
			remove: name === 'dora' ? 'anna@example.com' : '',
		},
	}));

	it.each(['merge', 'replace'] as const)('do not undo each other (%s)', async (keys) => {
		const store = mockRules(service, currentRules(), { reads: 3, changes: 3, keys });

		await outputOf(
			update(
				rules({ addRecipients: '={{ $json.add }}', removeRecipients: '={{ $json.remove }}' }),
				{ maxConcurrent: 5 },
				{ items },
			),
		);

		expect(store.rules.recipients).toEqual(
			['bob', 'carl', 'dora', 'eve'].map((name) => `${name}@example.com`),
		);
		expect(methods()).toBe('GET PATCH GET PATCH GET PATCH');
	});

	it('continue after one of them failed, when the workflow continues on errors', async () => {
		service.get(path).times(2).reply(200, currentRules());
		service.patch(path).reply(422, { message: 'Words of the service' });
		service.patch(path).reply(200, { message: 'ok' });

		const { items: updated } = await update(
			{},
			{ maxConcurrent: 5 },
			{ items: items.slice(1), onError: 'continueRegularOutput' },
		);

		expect(updated.map(({ json }) => json.error ?? json.message)).toEqual([
			expect.stringContaining('Words of the service'),
			'ok',
		]);
	});
});
