import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { expectRefusal, itemsWith, outputOf } from '../support/operations.cts';
import { dayFromNow } from '../support/polling.cts';
import {
	currentRules,
	mockRules,
	output,
	path,
	rules,
	rulesInJson as json,
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

const withTime = (time: IDataObject) => ({ ...currentRules(), time });
const methods = () => service.requests.map(({ method }) => method).join(' ');
const show = (held: IDataObject) => service.get(path).reply(200, held as object);

describe('keeping other rules', () => {
	it.each(['merge', 'replace'] as const)(
		'keeps them with a service that applies changes as: %s',
		async (keys) => {
			const store = mockRules(service, currentRules(), { keys });
			const time = { start: '2026-01-01', end: '2099-06-30' };
			const recipients = ['anna@example.com', 'carl@example.com'];
			const expected = { ...currentRules(), opens: 1, time, recipients };
			const fields = {
				opens: 1,
				timeEnd: time.end,
				addRecipients: 'carl@example.com, ANNA@example.com',
				removeRecipients: 'bob@example.com',
			};

			expect(await outputOf(update(rules(fields)))).toEqual([output(expected)]);
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

	const still = ['bob@example.com', '*@Example.com'];

	it.each<[string, IDataObject, IDataObject, RegExp]>([
		[
			'the rules are fixed',
			{ ...currentRules(), dynamic: false },
			{ opens: 1 },
			/The rules of the container "c-1" can't change: .* \[item 0\].*delete the container/,
		],
		[
			'access would end before it starts',
			withTime({ start: '2099-06-01' }),
			{ accessDays: 0 },
			/"Days Until Access Ends" \(.*\) is before "Available From" \(2099-06-01\)/,
		],
		[
			'a removed recipient of fixed rules would still have access',
			{ ...currentRules(), dynamic: false, recipients: still },
			{ removeRecipients: 'Bob@example.com' },
			/"Bob@example\.com" would still have access through the recipient "\*@Example\.com"/,
		],
	])('is rejected, and nothing is sent, when %s', async (_when, held, fields, message) => {
		show(held);

		const { error, items } = await update(rules(fields));

		expect(`${error?.message} ${error?.description}`).toMatch(message);
		expect(items).toEqual([]);
		expect(methods()).toBe('GET');
	});
});

describe('sending only the given rules', () => {
	it('is one request', async () => {
		service.patch(path).reply(204);
		const fields = { opens: '3', timeEnd: '2099-12-31T00:00:00', recipients: 'a@example.com' };

		await update(rules(fields), withoutCurrentRules);

		expect(service.requests.map((request) => request.body)).toEqual([
			{ opens: 3, time: { end: '2099-12-31' }, recipients: ['a@example.com'] },
		]);
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

	it("returns the service's response", async () => {
		const shown = { data: { opens: 1 } };
		service.patch(path).reply(200, shown);

		expect(await outputOf(update({}, withoutCurrentRules))).toEqual([output(shown)]);
	});

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
		['several rules', rules({ opens: 5, ipAllow: '192.0.2.1', timeEnd: '2099-12-31' }), {}],
		['JSON', json({ opens: 5, ip: { block: [] } }), {}],
		['a removal', rules({ removeRecipients: 'zoe@example.com' }), withoutCurrentRules],
	])('sends nothing and returns the current rules: %s', async (_what, parameters, options) => {
		for (const dynamic of [true, false]) {
			const current = { ...currentRules(), dynamic };
			show(current);

			expect(await outputOf(update(parameters, options))).toEqual([output(current, false)]);
		}
		expect(methods()).toBe('GET GET');
	});

	it('is not one with a day that the service shows with a time', async () => {
		service.contract.depart({ drmTimes: 'timestamp' });
		const store = mockRules(service, withTime({ end: '2099-12-31T08:00:00Z' }));

		await outputOf(update(rules({ timeEnd: '2099-12-31' })));

		expect(store.changes).toHaveLength(1);
	});
});

describe('days', () => {
	it.each([
		['a DateTime', '={{ DateTime.fromISO("2099-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2100-01-01'],
		['a Date', '={{ new Date("2099-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2100-01-01'],
		['a field of the item', '={{ $json.until }}', 'Asia/Kolkata', '2100-01-01'],
	])('are in the time zone of the workflow: %s', async (_what, timeEnd, timezone, day) => {
		service.patch(path).reply(204);
		const items = [{ json: { id: 'c-1', until: '2099-12-31T18:30:00Z' } }];

		await outputOf(update(rules({ timeEnd }), withoutCurrentRules, { timezone, items }));

		expect(service.requests[0].body).toEqual({ time: { end: day } });
	});

	it.each(['Etc/GMT+12', 'Etc/GMT-14'])('can be relative to now, in %s', async (timezone) => {
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
	});

	it('adds up for several items with the same container', async () => {
		const store = mockRules(service, currentRules(), { reads: 2, changes: 2 });

		await update(rules({ extendByDays: 7 }), {}, { items: itemsWith('c-1', 'c-1') });

		const ends = store.changes.map(({ time }) => (time as IDataObject).end);
		expect(ends).toEqual(['2100-01-07', '2100-01-14']);
	});

	it('sends nothing for a container without an end but the other rules', async () => {
		const held = { dynamic: true, time: { end: '9999-12-31' } };
		for (const options of [{}, withoutCurrentRules]) {
			show(held);

			expect(await outputOf(update(rules({ extendByDays: 7 }), options))).toEqual([
				output(held, false),
			]);
		}
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

	it('do not undo each other', async () => {
		const store = mockRules(service, currentRules(), { reads: 3, changes: 3, keys: 'replace' });
		const fields = { addRecipients: '={{ $json.add }}', removeRecipients: '={{ $json.remove }}' };

		await outputOf(update(rules(fields), { maxConcurrent: 5 }, { items }));

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

		expect(updated.map(({ json: { error, message } }) => error ?? message)).toEqual([
			expect.stringContaining('Words of the service'),
			'ok',
		]);
	});
});

describe('what is entered', () => {
	const only = (fields: IDataObject) => rules(fields);

	it.each<[string | RegExp, IDataObject, IDataObject?]>([
		['"Rules to Change" contains no rule', only({})],
		['"Recipients: Add" is empty', only({ addRecipients: '' })],
		['"Recipients: Add" is empty', only({ opens: 3, addRecipients: '={{ $json.missing }}' })],
		['"Recipients: Remove" is empty', only({ opens: 3, removeRecipients: '={{ [] }}' })],
		['"a b@x" in "Recipients: Remove" is not an email', only({ removeRecipients: 'a b@x' })],
		[
			'"B@x.example" is in "Recipients: Add" and in "Recipients: Remove"',
			only({ addRecipients: 'a@x.example, B@x.example', removeRecipients: 'b@X.example' }),
		],
		[
			'"b@x.example" is in "Recipients: Replace All" and in "Recipients: Remove"',
			only({ recipients: 'b@x.example', removeRecipients: 'b@x.example' }),
		],
		['"Available Until" is empty', only({ opens: 3, timeEnd: '={{ null }}' })],
		['"Days to Extend Access" must be a whole number, from 1', only({ extendByDays: 0 })],
		[/"Available Until" and "Days U.*together/, only({ timeEnd: '2099-06-01', accessDays: 3 })],
		['"Specify Rules" has an unknown value', { specifyRules: '={{ "text" }}' }],
		// n8n hides the field.
		['"Rules (JSON)" is empty', { ...json({ opens: 5 }), specifyRules: 'Using JSON' }],
		['"Keep Other Rules" must be', only({ opens: 1 }), { keepOtherRules: '={{ $json.x }}' }],
		[/"Rules \(JSON\)" is not valid JSON at line 1, column 15/, json('{ "opens": 5, }')],
		['"Rules (JSON)" contains no rule', json('{}')],
		['would remove all recipients', json('{ "opens": 2, "recipients": null }')],
		[/A password in .* is longer than 200 char/, json(`{ "pin": "${'1'.repeat(201)}" }`)],
		[/time\.end" is not a date/, json('={{ { time: { end: DateTime.fromISO("never") } } }}')],
		[/time\.end" is not a date/, json('={{ { time: { end: { year: 2026 } } } }}')],
	])('is refused before anything is sent: %s', async (message, parameters, options = {}) => {
		await expectRefusal(service, update(parameters, options), message);
	});

	it.each([
		['text', '{ "opens": 2, "geo": { "allow": [{ "country": "CH", "city": "Bern" }] } }'],
		['an object', '={{ { opens: 2, geo: { allow: [{ country: "CH", city: "Bern" }] } } }}'],
	])('as JSON is merged with the current rules: %s', async (_form, text) => {
		const store = mockRules(service, currentRules(), { keys: 'replace' });

		await update(json(text));

		expect(store.rules).toEqual({
			...currentRules(),
			opens: 2,
			geo: { allow: [{ country: 'CH', city: 'Bern' }], block: [{ country: 'KP' }] },
		});
	});

	it('as JSON is sent unchanged without the current rules', async () => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		const store = mockRules(service, currentRules(), { reads: 0 });
		const entered = { opens: 'unlimited', future: [1] };

		await outputOf(update(json(entered), withoutCurrentRules));

		expect(store.changes).toEqual([entered]);
	});

	it.each([
		['a DateTime in the zone', 'DateTime.fromISO("2099-12-31T23:59:59")', '2099-12-31'],
		['a Date', 'new Date("2099-12-31T20:00:00Z")', '2099-12-31T20:00:00.000Z'],
		['no day', 'null', null],
	])('as JSON has days that are never shifted: %s', async (_what, end, day) => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		for (const timezone of ['America/New_York', 'Asia/Tokyo']) {
			const store = mockRules(service, currentRules(), { reads: 0 });
			const entered = json(`={{ { opens: 2, time: { end: ${end} } } }}`);

			await outputOf(update(entered, withoutCurrentRules, { timezone }));

			expect(store.changes).toEqual([{ opens: 2, time: { end: day } }]);
		}
	});

	it('as JSON can be the output of DRM > Get, as it came', async () => {
		service.contract.depart({ drmTimes: 'timestamp' });
		const time = { start: '2026-01-01T00:00:00.000Z', end: '2099-12-31T00:00:00.000Z' };
		const before = { ...currentRules(), time };
		const store = mockRules(service, before);
		const got: IDataObject = output({ ...before, opens: 1 });
		const more = { timezone: 'America/New_York', items: [{ json: { id: 'c-1', got } }] };

		expect(await outputOf(update(json('={{ $json.got }}'), {}, more))).toEqual([
			output({ ...before, opens: 1 }),
		]);
		expect(store.changes).toEqual([{ ...before, opens: 1 }]);
	});
});

describe('a recipient from an expression', () => {
	const to = ['me@x.example', '*@evil.example'];
	const items = [{ json: { id: 'c-1', to: to.join(', '), me: to[0] } }];
	const returned = (label: string) => `An expression in "${label}" returned "*@evil.example"`;

	it.each<[string | RegExp, IDataObject, IDataObject]>([
		[returned('Recipients: Add'), rules({ addRecipients: '={{ $json.to }}' }), {}],
		[
			returned('Recipients: Replace All'),
			rules({ recipients: '=*@x.example, {{ $json.to }}' }),
			{},
		],
		[returned('Rules (JSON)'), json('={{ { recipients: $json.to.split(", ") } }}'), {}],
		[
			/"Recipients: Add" contains "\*@evil\.example", but "Allowed Recipients" doesn't allow/,
			rules({ addRecipients: '={{ $json.to }}' }),
			{ allowedRecipients: '*@x.example', allowWildcards: true },
		],
		[/stands for everybody/, rules({ addRecipients: '*@*' }), { allowWildcards: true }],
	])('is refused before anything is sent: %s', async (message, parameters, options) => {
		await expectRefusal(service, update(parameters, options, { items }), message);
	});

	it.each<[IDataObject, IDataObject, string[]]>([
		[{ recipients: '=*@x.example, {{ $json.me }}' }, {}, ['*@x.example', 'me@x.example']],
		[{ recipients: '={{ $json.to }}' }, { allowWildcards: true }, to],
		[{ recipients: '={{ $json.me }}' }, { allowedRecipients: '*@X.example' }, ['me@x.example']],
	])('is sent where it is allowed: %j with %j', async (fields, options, recipients) => {
		const store = mockRules(service, currentRules());

		await outputOf(update(rules(fields), options, { items }));

		expect(store.rules.recipients).toEqual(recipients);
	});
});
