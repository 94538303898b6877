import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import { containerId, expectRefusal, newService, outputOf } from '../support/operations.cts';
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

const service = mockService();

const withTime = (time: IDataObject) => ({ ...currentRules(), time });
const methods = () => service.requests.map(({ method }) => method).join(' ');
const show = (held: IDataObject) => service.get(path).reply(200, held as object);

describe('keeping other rules', () => {
	it('sends them with those that change, as a service can drop what is not sent', async () => {
		const store = mockRules(service, currentRules());
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
		expect(store.changes).toEqual([expected]);
		expect(methods()).toBe('GET PATCH');
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
	])('sends nothing when %s', async (_when, held, fields, message) => {
		show(held);

		const { error, items } = await update(rules(fields));

		expect(`${error?.message} ${error?.description}`).toMatch(message);
		expect(items).toEqual([]);
		expect(methods()).toBe('GET');
	});
});

it('a day that the service shows as a moment can be sent again, in each of several runs', async () => {
	const shown = withTime({ start: '2026-01-01', end: '2099-06-30T00:00:00.000Z' });
	service.get(path).times(3).reply(200, shown);
	service.patch(path).times(3).reply(204);
	const more = { credentials: newService() };

	for (let runs = 0; runs < 3; runs += 1) {
		const { error } = await update(rules({ timeEnd: '2099-06-30' }), {}, more);
		expect(error).toBeUndefined();
	}
	expect(methods()).toBe('GET PATCH GET PATCH GET PATCH');
});

describe('sending only the given rules', () => {
	it("is one request, whose response is the output in the service's form", async () => {
		const shown = { data: { opens: 3 } };
		service.patch(path).reply(200, shown);
		const fields = { opens: '3', timeEnd: '2099-12-31T00:00:00', recipients: 'a@example.com' };

		expect(await outputOf(update(rules(fields), withoutCurrentRules))).toEqual([output(shown)]);

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

	it('is a success where the response is empty', async () => {
		service.patch(path).reply(204);

		expect(await outputOf(update({}, withoutCurrentRules))).toEqual([output({ success: true })]);
	});

	it('sends JSON unchanged', async () => {
		service.contract.skipBodies('JSON is sent as the user enters it');
		const store = mockRules(service, currentRules(), { reads: 0 });
		const entered = { dynamic: true, opens: 'unlimited', future: [1] };

		await outputOf(update(json(entered), withoutCurrentRules));

		expect(store.changes).toEqual([entered]);
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
		service.contract.skipBodies('the service shows moments');
		const store = mockRules(service, withTime({ end: '2099-12-31T08:00:00Z' }));

		await outputOf(update(rules({ timeEnd: '2099-12-31' })));

		expect(store.changes).toHaveLength(1);
	});
});

describe('days', () => {
	it('are in the time zone of the workflow', async () => {
		service.patch(path).reply(204);
		const timeEnd = '={{ DateTime.fromISO("2099-12-31T20:00:00Z") }}';

		await outputOf(update(rules({ timeEnd }), withoutCurrentRules, { timezone: 'Asia/Tokyo' }));

		expect(service.requests[0].body).toEqual({ time: { end: '2100-01-01' } });
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

	it.each([{}, withoutCurrentRules])('to extend access move the end with %j', async (options) => {
		const store = mockRules(service, currentRules());
		const end = '2100-01-07';

		const [shown] = await outputOf(update(rules({ extendByDays: 7 }), options));

		const all = withTime({ start: '2026-01-01', end });
		expect(store.changes).toEqual(['keepOtherRules' in options ? { time: { end } } : all]);
		expect(shown).toMatchObject({ containerId: 'c-1', time: { end } });
	});

	it('to extend access change nothing but the other rules where there is no end', async () => {
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

describe('what is entered', () => {
	/** What a field accepts is in the unit tests; those of rules in JSON are beside those of the change. */
	it.each<[string | RegExp, IDataObject, IDataObject?]>([
		['"Rules to Change" contains no rule', rules({})],
		['"Recipients: Add" is empty', rules({ addRecipients: '' })],
		['"Recipients: Add" is empty', rules({ opens: 3, addRecipients: '={{ $json.missing }}' })],
		['"Recipients: Remove" is empty', rules({ opens: 3, removeRecipients: '={{ [] }}' })],
		['"a b@x" in "Recipients: Remove" is not an email', rules({ removeRecipients: 'a b@x' })],
		[
			'"B@x.example" is in "Recipients: Add" and in "Recipients: Remove"',
			rules({ addRecipients: 'a@x.example, B@x.example', removeRecipients: 'b@X.example' }),
		],
		[
			'"b@x.example" is in "Recipients: Replace All" and in "Recipients: Remove"',
			rules({ recipients: 'b@x.example', removeRecipients: 'b@x.example' }),
		],
		['"Days to Extend Access" must be a whole number, from 1', rules({ extendByDays: 0 })],
		[/"Available Until" and "Days U.*together/, rules({ timeEnd: '2099-06-01', accessDays: 3 })],
		['"Specify Rules" has an unknown value', { specifyRules: '={{ "text" }}' }],
		// n8n hides the field.
		['"Rules (JSON)" is empty', { ...json({ opens: 5 }), specifyRules: 'Using JSON' }],
		['"Keep Other Rules" must be', rules({ opens: 1 }), { keepOtherRules: '={{ $json.x }}' }],
		[/A password in .* is longer than 200 char/, json(`{ "pin": "${'1'.repeat(201)}" }`)],
	])('is refused before anything is sent: %s', async (message, parameters, options = {}) => {
		await expectRefusal(service, update(parameters, options), message);
	});
});

describe('a recipient from an expression', () => {
	const to = ['me@x.example', '*@evil.example'];
	const items = [{ json: { id: 'c-1', to: to.join(', '), me: to[0] } }];
	const returned = (label: string) => `An expression in "${label}" returned "*@evil.example"`;
	const replaceAll = rules({ recipients: '=*@x.example, {{ $json.to }}' });

	it.each<[string | RegExp, IDataObject, IDataObject]>([
		[returned('Recipients: Add'), rules({ addRecipients: '={{ $json.to }}' }), {}],
		[returned('Recipients: Replace All'), replaceAll, {}],
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

it('a rule that the service never shows can change again at once', async () => {
	service.get(path).twice().reply(200, { dynamic: true, downloadable: false });
	service.patch(path).twice().reply(204);
	const credentials = newService();

	for (const opens of [3, 4]) await outputOf(update(rules({ opens }), {}, { credentials }));

	expect(service.requests.map(({ method }) => method).join()).toBe('GET,PATCH,GET,PATCH');
});

const uuid = '5f0c2a4e-0000-4000-8000-00000000abcd';

it.each([
	['the same ID', uuid],
	['its ID in capitals', uuid.toUpperCase()],
])('two API keys of one service undo no change of each other: %s', async (_what, id) => {
	const states = [['a', 'b', 'c'].map((name) => `${name}@x.example`)];
	let isOld = false;
	const answer = (at: number) => [200, { dynamic: true, recipients: states.at(at) }] as const;
	service
		.get(/\/drm$/)
		.times(3)
		.reply(() => {
			const shown = answer(isOld ? -2 : -1);
			isOld = false;
			return [...shown];
		});
	service
		.patch(/\/drm$/)
		.twice()
		.reply((_uri, body) => {
			states.push((body as { recipients: string[] }).recipients);
			return [...answer(-1)];
		});
	const credentials = newService();
	const remove = async (value: string, removeRecipients: string, more: object) => {
		const parameters = { containerId: containerId(value), ...rules({ removeRecipients }) };
		await outputOf(update(parameters, {}, { credentials: { ...credentials, ...more } }));
	};

	await remove(uuid, 'b@x.example', {});
	isOld = true;
	await remove(id, 'c@x.example', { apiKey: `${credentials.apiKey}-other` });

	expect(states.at(-1)).toEqual(['a@x.example']);
});
