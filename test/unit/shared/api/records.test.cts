import {
	fetchRules,
	findRules,
	parseRules,
	readRules,
} from '../../../../nodes/shared/api/shownRules';
import {
	expectRecord,
	findCreation,
	readRecord,
	sortNewestFirst,
	toContainerKey,
} from '../../../../nodes/shared/api/records';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

it.each<[object, unknown, unknown]>([
	[{ org_id: 'u', container: { uuid: 'c', name: 'N' } }, 'c', 'N'],
	[{ id: 'c', container_name: 'N' }, 'c', 'N'],
	[{ uuid: 5, id: 7, name: 7 }, '5', '7'],
	[{ data: { id: 'c', name: 'N' }, message: 'OK' }, 'c', 'N'],
	[{ data: { container: { uuid: 'c' } }, id: 'request' }, 'c', undefined],
	[{ container: null, uuid: 'c' }, 'c', undefined],
	[{ container: { uuid: 'c' }, name: 'N' }, 'c', 'N'],
	[{ container_id: 'c', result: { uuid: 'c' } }, undefined, undefined],
	[{ uuid: true, id: 2 ** 53, name: ['N'] }, undefined, undefined],
	[{ uuid: '', name: '' }, undefined, undefined],
])('a container has its identifier and name in %j', (record, id, name) => {
	expect(readRecord('container', record as never)).toMatchObject({ id, name });
});

it('a container is the same under a UUID in capitals only', () => {
	const uuid = '5F0C2A4E-8D1B-4C7A-9E36-2B7D1F4A6C90';
	expect(toContainerKey(uuid)).toBe(uuid.toLowerCase());
	for (const id of ['C-1', `x${uuid}`, `${uuid}x`]) expect(toContainerKey(id)).toBe(id);
});

it('a contact has its email address at the top, or in what holds it, or none', () => {
	const record = { email: 'a@example.com', company: 'X' };
	const forms = [record, { contact: record }, { data: record }, { data: { contact: record } }];
	for (const form of forms) {
		expect(readRecord('contact', form)).toEqual({ id: 'a@example.com', fields: record });
	}
	const withField = { ...record, contact: { phone: '1' } };
	expect(readRecord('contact', withField).fields).toBe(withField);
	expect(readRecord('contact', { company: 'X', mail: 'a@example.com' }).id).toBeUndefined();
});

it.each<[object, string | undefined]>([
	[{ created_date: '2026-11-20T23:30:00+01:00' }, '2026-11-20T22:30:00.000Z'],
	[{ container: { created_date: '2026-11-20T10:00:00.000Z' } }, '2026-11-20T10:00:00.000Z'],
	...[{}, { created_date: null }, { created_date: 'soon' }].map((record): [object, undefined] => [
		record,
		undefined,
	]),
])('a record was created when its created_date says: %j', (record, moment) => {
	expect(findCreation(record as never)?.toISOString()).toBe(moment);
});

it('the newest come first, and those without a date last, in their order', () => {
	const dates = { old: '2020-01-01', none: undefined, new: '2026-11-20T09:00:00.000Z' };
	const others = { newer: '2026-11-20T10:00:00.000Z', nothing: '', same: '2026-11-20T10:00:00Z' };
	const records = Object.entries({ ...dates, ...others }).map(([uuid, created_date]) => ({
		...{ uuid, record: { container: { created_date } } },
	}));
	const sorted = sortNewestFirst(records).map(({ uuid }) => uuid);
	expect(sorted).toEqual(['newer', 'same', 'new', 'old', 'none', 'nothing']);
});

const others = {
	...{ dynamic: true, downloadable: false, opens: 3, time: { end: '2026-12-31' } },
	...{ geo: { allow: [{ country: 'CH' }] }, ip: { block: ['192.0.2.0/24'] } },
};
const recipients = ['a@x.example'];
const rules = { ...others, recipients };

it.each<[string, object, boolean]>([
	['anna@x.example', { email: 'ANNA@x.example' }, true],
	['anna@x.example', { data: { email: 'b@x.example' } }, false],
	['anna@x.example', { first_name: 'Anna' }, false],
	['c-1', { uuid: 'C-1' }, true],
	['c-1', { container: { uuid: 'u-7', id: 'c-1' } }, true],
	['c-1', { uuid: 'u-7', id: 7 }, false],
	['c-1', { container: null, org_id: 7 }, false],
])('the record that is asked for, %s, is in %j: %s', (asked, response, isIn) => {
	const kind = asked.includes('@') ? 'contact' : 'container';
	expect(expectRecord(kind, asked).isIn(response as never)).toBe(isIn);
});

describe('rules', () => {
	it.each([
		['at the top level', rules],
		['under drm', { drm: rules }],
		['under rules', { message: 'Updated', rules }],
		['under data and drm', { data: { drm: rules } }],
		['under drm in the container', { org_id: 'u', container: { uuid: 'c', drm: rules } }],
		['in the container under data', { data: { container: { rules } } }],
		['with their recipients in the container', { container: { recipients, drm: others } }],
		['with their recipients beside them', { recipients, drm: others }],
		['beside the address of the request', { ip: '192.0.2.1', data: rules }],
	])('are found %s', (_shape, value) => {
		expect(findRules(value)).toMatchObject(rules);
	});

	it('are none in what is empty, and not found in anything else', () => {
		for (const response of [{}, { drm: {} }]) expect(findRules(response)).toEqual({});
		for (const response of [{ uuid: 'c', name: 'n' }, [rules], 'dynamic', { a: { b: rules } }]) {
			expect(findRules(response)).toBeUndefined();
		}
	});

	it('are read without what is empty, with moments as days', () => {
		const shown = {
			...{ dynamic: true, downloadable: false, opens: 0, ip: [], geo: { allow: [], block: null } },
			time: { start: null, end: '2026-12-31T23:30:00Z' },
			recipients: [{ email: 'a@x.example', name: 'A' }, null, 'Bob <b@x.example>'],
		};

		expect(parseRules(shown, 'Europe/Zurich')).toMatchObject({
			rules: {
				...{ dynamic: true, downloadable: false, opens: 0, time: { end: '2027-01-01' } },
				recipients: ['a@x.example', 'b@x.example'],
			},
			...{ unclear: {}, tolerance: 1 },
		});
		expect(parseRules(rules)).toMatchObject({ rules, unclear: {}, tolerance: 0 });
	});

	it.each([
		['2026-12-31T00:00:00Z', 'America/New_York', '2026-12-31'],
		['2026-12-31T23:59:59.999Z', 'Europe/Zurich', '2026-12-31'],
		['2026-12-30T23:00:00Z', 'Europe/Zurich', '2026-12-31'],
		['2027-01-01T04:59:59Z', 'America/New_York', '2026-12-31'],
	])('end on the day that %s is in %s, or in UTC at the edge of a day', (end, zone, day) => {
		expect(parseRules({ time: { end } }, zone).rules.time).toEqual({ end: day });
	});
});

describe('rules that are fetched', () => {
	it('are those of the container, as they came', async () => {
		const { client, sent, replies } = setUpClient([{ body: { drm: { ...rules, opens: 'many' } } }]);
		expect(await fetchRules(client, 'c 1')).toEqual({ ...rules, opens: 'many' });
		expect(sent[0]).toMatchObject({ method: 'GET', url: `${baseUrl}/containers/c%201/drm` });

		replies.push({ body: {} }, { status: 404 }, { body: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } });
		expect(await fetchRules(client, 'c-1')).toEqual({});
		expect((await errorOf(fetchRules(client, 'c-1'))).message).toMatch(/"c-1" was not found/);
		expect((await errorOf(fetchRules(client, 'c-1'))).message).toContain(
			'returned a JSON object with the fields a, b, c, d, e instead of access rules',
		);
	});

	it.each<[object, object]>([
		[{ org_id: 'u', container: { uuid: 'C-1', recipients } }, rules],
		[{ uuid: 'c-1', drm: { recipients } }, rules],
		[{ uuid: 'c-1' }, others],
	])('take recipients that they lack from the container: %j', async (body, expected) => {
		const { client, sent } = setUpClient([{ body: others, headers: { etag: '"7"' } }, { body }]);

		const options = { timeZone: 'UTC', needsRecipients: true };
		const shown = await readRules(client, 'c-1', options);
		expect([shown.rules, shown.etag]).toEqual([expected, '"7"']);
		expect(sent[1]).toMatchObject({ method: 'GET', url: `${baseUrl}/containers/c-1` });
	});
});
