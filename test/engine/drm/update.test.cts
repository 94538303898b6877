import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import {
	promisesOfEveryOperation,
	refusedContainers,
	unusualContainers,
} from '../support/everyOperation.cts';
import { containerId, oneByOne } from '../support/parameters.cts';
import { holdRules } from '../support/rulesStore.cts';
import {
	answersWithoutRecord,
	answersWithRecord,
	headersOf,
	noRecords,
	unusableChanges,
} from '../support/shapes.cts';

const service = mockService();

const base: INodeParameters = {
	resource: 'drm',
	operation: 'update',
	containerId: containerId('={{ $json.id }}'),
	specifyRules: 'fields',
	rules: { opens: 1 },
	options: {},
};
const path = '/containers/c-1/drm';
const present = () => ({
	dynamic: true,
	geo: { allow: [{ country: 'CH' }], block: [{ country: 'KP' }] },
	ip: { allow: ['192.0.2.1'] },
	opens: 5,
	time: { start: '2026-01-01', end: '2026-12-31' },
	downloadable: false,
	recipients: ['anna@example.com', 'bob@example.com'],
});
const alone = { keepOtherRules: false };

const update = async (
	parameters: INodeParameters = {},
	options: IDataObject = {},
	more: Partial<RunNodeOptions> = {},
) =>
	await runNode({
		items: [{ json: { id: 'c-1' } }],
		...more,
		parameters: { ...base, ...parameters, options: { ...oneByOne, ...options } } as INodeParameters,
	});
const rules = (fields: IDataObject) => ({ rules: fields }) as INodeParameters;

describe('with what is there', () => {
	promisesOfEveryOperation(service, {
		parameters: base,
		ids: ['c-1', 'c-2', 'c-3'],
		method: 'PATCH',
		path: (id) => `/containers/${id}/drm`,
		before: (mocked, id) => {
			mocked.scope().get(`/containers/${id}/drm`).reply(200, present());
		},
		answer: { ...present(), opens: 1 },
		outcome: { ...present(), opens: 1 },
		identity: (id) => ({ containerId: id }),
		refused: refusedContainers,
	});
});

describe('alone', () => {
	promisesOfEveryOperation(service, {
		parameters: { ...base, options: alone },
		ids: ['c-1', 'c-2', 'c-3'],
		method: 'PATCH',
		path: (id) => `/containers/${id}/drm`,
		answer: { message: 'Updated' },
		outcome: { message: 'Updated' },
		identity: (id) => ({ containerId: id }),
		refused: refusedContainers,
	});
});

describe('an update', () => {
	it.each(answersWithRecord(present()))('answers what the service does: $shape', async (shape) => {
		service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

		const { items } = await update({}, alone);

		expect(items.map(({ json }) => json)).toEqual([shape.record]);
	});

	it.each(answersWithoutRecord)('answers success and container for $shape', async (shape) => {
		service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

		const { items, error } = await update({}, alone);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([{ success: true, containerId: 'c-1' }]);
	});

	it.each(unusableChanges)('is an error when the service answers $shape', async (shape) => {
		service.scope().patch(path).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await update({}, alone);

		expect(error?.message).toMatch(shape.message);
	});

	it.each(unusualContainers)('sends %j as one segment', async (id, segment) => {
		service.scope().get(`/containers/${segment}/drm`).reply(200, present());
		service.scope().patch(`/containers/${segment}/drm`).reply(204);

		const { error } = await update({}, {}, { items: [{ json: { id } }] });

		expect(error).toBeUndefined();
	});
});

describe('keeping other rules', () => {
	it.each(['merge', 'replace'] as const)(
		'keeps them with a service that takes changes as: %s',
		async (keys) => {
			const store = holdRules(service, path, present(), { reads: 1, changes: 1, keys });

			const { items } = await update(rules({ opens: 1, timeEnd: '2027-06-30' }));

			const whole = {
				...present(),
				opens: 1,
				time: { start: '2026-01-01', end: '2027-06-30' },
			};
			expect(store.rules).toEqual(whole);
			expect(store.changes).toEqual([whole]);
			expect(items[0].json).toEqual(whole);
			expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
		},
	);

	it.each([
		['bare', (held: IDataObject) => held],
		['under drm', (held: IDataObject) => ({ drm: held })],
		['under rules', (held: IDataObject) => ({ rules: held })],
		['under data', (held: IDataObject) => ({ status: 'ok', data: held })],
		[
			'in an envelope',
			(held: IDataObject) => ({ org_id: 'u', container: { uuid: 'c', drm: held } }),
		],
	])('sends the seven documented keys only, wherever they are: %s', async (_where, hold) => {
		const held = { ...present(), uuid: 'c-1', updated_date: 'now', version: 7 };
		service
			.scope()
			.get(path)
			.reply(200, hold(held) as Record<string, unknown>);
		service.scope().patch(path).reply(204);

		await update(rules({ downloadable: true }));

		expect(service.requests[1].body).toEqual({ ...present(), downloadable: true });
	});

	it.each<[string, IDataObject, IDataObject]>([
		['a start', { timeStart: '2026-06-01' }, { time: { start: '2026-06-01', end: '2026-12-31' } }],
		['an end', { timeEnd: '2027-06-01' }, { time: { start: '2026-01-01', end: '2027-06-01' } }],
		[
			'a list, replaced',
			{ geoAllow: ['DE'] },
			{ geo: { allow: [{ country: 'DE' }], block: [{ country: 'KP' }] } },
		],
		[
			'another list',
			{ ipBlock: '198.51.100.0/24' },
			{ ip: { allow: ['192.0.2.1'], block: ['198.51.100.0/24'] } },
		],
		['recipients, replaced', { recipients: '*@example.org' }, { recipients: ['*@example.org'] }],
		[
			'added recipients',
			{ addRecipients: 'carl@example.com, ANNA@example.com' },
			{ recipients: ['anna@example.com', 'bob@example.com', 'carl@example.com'] },
		],
		[
			'removed recipients',
			{ removeRecipients: 'BOB@example.com' },
			{ recipients: ['anna@example.com'] },
		],
		[
			'both',
			{ addRecipients: ['carl@example.com'], removeRecipients: ['anna@example.com'] },
			{ recipients: ['bob@example.com', 'carl@example.com'] },
		],
		[
			'all three',
			{
				recipients: 'x@example.com',
				addRecipients: 'y@example.com',
				removeRecipients: 'x@example.com',
			},
			{ recipients: ['y@example.com'] },
		],
		['a switch', { dynamic: false }, { dynamic: false }],
	])('changes %s, and nothing else', async (_what, fields, changed) => {
		const store = holdRules(service, path, present(), { reads: 1, changes: 1, keys: 'replace' });

		const { error } = await update(rules(fields));

		expect(error).toBeUndefined();
		expect(store.rules).toEqual({ ...present(), ...changed });
	});

	it('begins with none where the service shows an empty object', async () => {
		const store = holdRules(service, path, {}, { reads: 1, changes: 1 });

		await update(rules({ addRecipients: 'a@example.com' }));

		expect(store.changes).toEqual([{ recipients: ['a@example.com'] }]);
	});

	it.each(noRecords)('sends nothing when the present rules come as $shape', async (shape) => {
		service.scope().get(path).reply(shape.status, shape.body, headersOf(shape));

		const { error } = await update();

		expect(error?.message).toMatch(shape.message);
	});

	it('sends nothing when the present rules cannot be found in the answer', async () => {
		service.scope().get(path).reply(200, { message: 'ok', status: 1 });

		const { error } = await update();

		expect(error?.message).toMatch(/an object with message, status instead of DRM rules/);
	});

	it('is refused when the rules are fixed, with what to do instead', async () => {
		service
			.scope()
			.get(path)
			.reply(200, { ...present(), dynamic: false });

		const { error } = await update();

		expect(error?.message).toMatch(/The rules of this container are fixed \[item 0\]/);
		expect(error?.description).toMatch(/Encode the files again/);
	});

	it('is refused when the window would end before it starts', async () => {
		service.scope().get(path).reply(200, present());

		const { error } = await update(rules({ timeEnd: '2025-12-31' }));

		expect(error?.message).toMatch(/"Available Until" \(2025-12-31\) is before "Available From"/);
	});

	it('is refused when no recipient would remain', async () => {
		service.scope().get(path).reply(200, present());

		const { error } = await update(
			rules({ removeRecipients: 'anna@example.com; bob@example.com' }),
		);

		expect(error?.message).toMatch(/"Recipients: Remove" would leave no recipient/);
	});
});

describe('sending only what was given', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['a number', { opens: '3' }, { opens: 3 }],
		['an end', { timeEnd: '2026-12-31T00:00:00' }, { time: { end: '2026-12-31' } }],
		[
			'lists',
			{ geoBlock: ['US', 'CA'], ipAllow: '10.0.0.1-10.0.0.9' },
			{
				geo: { block: [{ country: 'US' }, { country: 'CA' }] },
				ip: { allow: ['10.0.0.1-10.0.0.9'] },
			},
		],
		['recipients', { recipients: 'a@example.com' }, { recipients: ['a@example.com'] }],
	])('is one request: %s', async (_what, fields, body) => {
		service.scope().patch(path).reply(204);

		await update(rules(fields), alone);

		expect(service.requests.map((request) => request.body)).toEqual([body]);
	});

	it('reads the recipients when some are to be added or removed, and sends no other rule', async () => {
		const store = holdRules(service, path, present(), { reads: 1, changes: 1 });

		await update(rules({ opens: 2, removeRecipients: 'bob@example.com' }), alone);

		expect(store.changes).toEqual([{ opens: 2, recipients: ['anna@example.com'] }]);
	});

	it("says what fixed rules are when the service refuses, in the service's words too", async () => {
		service.scope().patch(path).reply(409, { message: 'The rules are sealed' });

		const { error } = await update({}, alone);

		expect(error?.message).toMatch(/refuses to change the rules of the container/);
		expect(error?.description).toMatch(/The rules are sealed.*Allow Changes Later/);
	});
});

describe('rules in JSON', () => {
	const json = (rulesJson: unknown) => ({ specifyRules: 'json', rulesJson }) as INodeParameters;

	it.each([
		['text', '{ "opens": 2, "geo": { "allow": [{ "country": "CH", "city": "Bern" }] } }'],
		['an object', '={{ { opens: 2, geo: { allow: [{ country: "CH", city: "Bern" }] } } }}'],
	])('are merged with those that are there, as %s', async (_form, text) => {
		const store = holdRules(service, path, present(), { reads: 1, changes: 1, keys: 'replace' });

		await update(json(text));

		expect(store.rules).toEqual({
			...present(),
			opens: 2,
			geo: { allow: [{ country: 'CH', city: 'Bern' }], block: [{ country: 'KP' }] },
		});
	});

	it('are sent as they are without those that are there', async () => {
		service.scope().patch(path).reply(204);

		await update(json('{ "opens": "unlimited", "future": [1] }'), alone);

		expect(service.requests[0].body).toEqual({ opens: 'unlimited', future: [1] });
	});

	it.each([
		['{ "opens": 5, }', /"Rules \(JSON\)" is not valid JSON at line 1, column 15 \[item 0\]/],
		['{\n"opens": x }', /"Rules \(JSON\)" is not valid JSON at line 2, column 10 \[item 0\]/],
		['{ "opens": ', /"Rules \(JSON\)" is not valid JSON: it ends too early/],
		['[]', /"Rules \(JSON\)" is not a JSON object/],
		['', /"Rules \(JSON\)" is empty/],
		['{}', /"Rules \(JSON\)" holds no rule/],
		['{ "recipients": [] }', /"Rules \(JSON\)" would leave no recipient/],
		['{ "opens": 2, "recipients": null }', /"Rules \(JSON\)" would leave no recipient/],
	])('are refused before anything is sent: %j', async (text, message) => {
		const { error } = await update(json(text));

		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});
});

describe('two items that change the same container', () => {
	const items = [
		{ json: { fields: { addRecipients: 'carl@example.com' } } },
		{ json: { fields: { removeRecipients: 'anna@example.com' } } },
		{ json: { fields: { addRecipients: 'dora@example.com' } } },
	];

	it.each(['merge', 'replace'] as const)('do not undo each other (%s)', async (keys) => {
		const store = holdRules(service, path, present(), { reads: 3, changes: 3, keys });

		const { error, items: made } = await runNode({
			parameters: {
				...base,
				containerId: containerId('c-1'),
				rules: {
					addRecipients: '={{ $json.fields.addRecipients ?? "" }}',
					removeRecipients: '={{ $json.fields.removeRecipients ?? "" }}',
				},
				options: { maxRetries: 0, maxConcurrent: 5 },
			},
			items,
		});

		expect(error).toBeUndefined();
		expect(made).toHaveLength(3);
		expect(store.rules.recipients).toEqual([
			'bob@example.com',
			'carl@example.com',
			'dora@example.com',
		]);
		expect(service.requests.map(({ method }) => method).join(' ')).toBe(
			'GET PATCH GET PATCH GET PATCH',
		);
	});

	it('go on after one of them failed, in a Continue mode', async () => {
		service.scope().get(path).times(2).reply(200, present());
		service.scope().patch(path).reply(422, { message: 'Words of the service' });
		service.scope().patch(path).reply(200, { message: 'ok' });

		const { items: made } = await update(
			{},
			{ maxConcurrent: 5 },
			{
				items: [{ json: { id: 'c-1' } }, { json: { id: 'c-1' } }],
				onError: 'continueRegularOutput',
			},
		);

		expect(made.map(({ json }) => json.error ?? json.message)).toEqual([
			expect.stringContaining('Words of the service'),
			'ok',
		]);
	});
});

describe('bad rules', () => {
	it.each<[IDataObject, RegExp]>([
		[{}, /"Rules to Change" holds no rule/],
		[{ addRecipients: '' }, /"Rules to Change" holds no rule/],
		[{ opens: -1 }, /"Maximum Opens" is not a whole number, 0 or more/],
		[{ opens: 1.5 }, /"Maximum Opens" is not a whole number, 0 or more/],
		[{ opens: '={{ "some" }}' }, /"Maximum Opens" is not a whole number, 0 or more/],
		[{ timeEnd: 'soon' }, /"Available Until" is not a date/],
		[{ timeStart: '2026-02-30' }, /"Available From" is not a date/],
		[
			{ timeStart: '2026-06-02', timeEnd: '2026-06-01' },
			/"Available Until" \(2026-06-01\) is before/,
		],
		[{ recipients: 'anna' }, /"anna" in "Recipients: Replace All" is not an e-mail address/],
		[{ addRecipients: 'anna@example.com, bob' }, /"bob" in "Recipients: Add" is not an e-mail/],
		[{ removeRecipients: 'a b@x' }, /"a b@x" in "Recipients: Remove" is not an e-mail address/],
		[{ recipients: '' }, /"Recipients: Replace All" is empty/],
		[{ geoAllow: [] }, /"Countries Allowed" is empty/],
		[{ ipBlock: ' , ' }, /"IP Addresses Blocked" is empty/],
		[{ downloadable: '={{ "maybe" }}' }, /"Downloadable" is neither true nor false/],
		[{ dynamic: '={{ null }}' }, /"Allow Changes Later" is neither true nor false/],
	])('%j are refused before anything is sent', async (fields, message) => {
		const { error, items } = await update(rules(fields));

		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(items).toEqual([]);
		expect(service.requests).toEqual([]);
	});
});

describe('days', () => {
	it.each([
		['what the editor stores', '2026-12-31T00:00:00', 'Pacific/Auckland', '2026-12-31'],
		['a day', '2026-12-31', 'Etc/GMT+12', '2026-12-31'],
		['a moment, west of it', '2026-12-31T02:00:00Z', 'America/Los_Angeles', '2026-12-30'],
		['a moment, east of it', '2026-12-31T20:00:00.000Z', 'Asia/Tokyo', '2027-01-01'],
		['a moment with an offset', '2026-12-31T23:30:00-05:00', 'Europe/Zurich', '2027-01-01'],
		['a DateTime', '={{ DateTime.fromISO("2026-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2027-01-01'],
		[
			'a DateTime of the zone',
			'={{ DateTime.fromISO("2026-12-31T23:59:59") }}',
			'Etc/GMT-14',
			'2026-12-31',
		],
		[
			'a DateTime as text',
			'={{ DateTime.fromISO("2026-12-31T20:00:00Z").toISO() }}',
			'Asia/Tokyo',
			'2027-01-01',
		],
		['a Date', '={{ new Date("2026-12-31T20:00:00Z") }}', 'Asia/Tokyo', '2027-01-01'],
		['a field of the item', '={{ $json.until }}', 'Asia/Kolkata', '2027-01-01'],
	])('are those of the zone of the workflow: %s', async (_what, value, timezone, day) => {
		service.scope().patch(path).reply(204);

		const { error } = await update(rules({ timeEnd: value }), alone, {
			timezone,
			items: [{ json: { id: 'c-1', until: '2026-12-31T18:30:00Z' } }],
		});

		expect(error).toBeUndefined();
		expect(service.requests[0].body).toEqual({ time: { end: day } });
	});

	it.each(['Etc/GMT+12', 'UTC', 'Etc/GMT-14'])(
		'may be reckoned from now: today in %s',
		async (timezone) => {
			service.scope().patch(path).reply(204);
			const today = () =>
				new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format();
			const before = today();

			await update(rules({ timeEnd: '={{ $now }}' }), alone, { timezone });

			const { end } = (service.requests[0].body as { time: { end: string } }).time;
			expect([before, today()]).toContain(end);
		},
	);
});
