import {
	fetchRules,
	findRules,
	isSameRule,
	parseRules,
	readRules,
} from '../../../../nodes/shared/api/drmRules';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

const others = {
	...{ dynamic: true, downloadable: false, opens: 3, time: { end: '2026-12-31' } },
	...{ geo: { allow: [{ country: 'CH' }] }, ip: { block: ['192.0.2.0/24'] } },
};
const recipients = ['a@x.example'];
const rules = { ...others, recipients };
const options = { timeZone: 'UTC', needsRecipients: true };

describe('rules', () => {
	it.each([
		['at the top level', rules],
		['under drm', { drm: rules }],
		['under rules', { message: 'Updated', rules }],
		['under data', { data: rules }],
		['under data and drm', { data: { drm: rules } }],
		['in the container', { container: { uuid: 'c', ...rules } }],
		['under drm in the container', { org_id: 'u', container: { uuid: 'c', drm: rules } }],
		['in the container under data', { data: { container: { rules } } }],
		['with their recipients in the container', { container: { recipients, drm: others } }],
		['with their recipients beside them', { recipients, drm: others }],
		['beside the address of the request', { ip: '192.0.2.1', data: rules }],
	])('are found %s', (_shape, value) => {
		expect(findRules(value)).toMatchObject(rules);
	});

	it.each([{}, { drm: {} }])('are none in %j', (response) => {
		expect(findRules(response)).toEqual({});
	});

	it.each([{ message: 'ok' }, { uuid: 'c', name: 'n' }, [rules], 'dynamic', { a: { b: rules } }])(
		'are not found in %j',
		(response) => {
			expect(findRules(response)).toBeUndefined();
		},
	);

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
			unclear: {},
			tolerance: 1,
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

		replies.push({ body: {} }, { status: 404 });
		expect(await fetchRules(client, 'c-1')).toEqual({});
		expect((await errorOf(fetchRules(client, 'c-1'))).message).toMatch(/"c-1" was not found/);
	});

	it('come with their strong ETag', async () => {
		const etag = '"7"';
		const { client } = setUpClient([
			{ body: rules, headers: { etag } },
			{ body: rules, headers: { etag: `W/${etag}` } },
		]);

		expect(await readRules(client, 'c-1', options)).toMatchObject({ rules, etag });
		expect((await readRules(client, 'c-1', options)).etag).toBeUndefined();
	});

	it.each<[object, object]>([
		[{ org_id: 'u', container: { uuid: 'C-1', recipients } }, rules],
		[{ uuid: 'c-1', drm: { recipients } }, rules],
		[{ uuid: 'c-1' }, others],
	])('take recipients that they lack from the container: %j', async (body, expected) => {
		const { client, sent } = setUpClient([{ body: others }, { body }]);

		expect((await readRules(client, 'c-1', options)).rules).toEqual(expected);
		expect(sent[1]).toMatchObject({ method: 'GET', url: `${baseUrl}/containers/c-1` });
	});

	it('are an error where there are none', async () => {
		const { client } = setUpClient([{ body: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } }]);
		await expect(fetchRules(client, 'c-1')).rejects.toThrow(
			'returned a JSON object with the fields a, b, c, d, e instead of access rules',
		);
	});
});

it.each<[unknown, unknown, boolean]>([
	[['a@x', 'b@x'], ['b@x', 'a@x'], true],
	[['Anna <A@münchen.de>'], [' a@xn--mnchen-3ya.de'], true],
	[['a@x', 'a@x'], ['a@x'], true],
	[[{ country: 'CH', city: null }], [{ country: 'ch ' }], true],
	[{ allow: [], block: ['x'] }, { block: ['x'] }, true],
	[undefined, { start: '', end: null }, true],
	[3, '3', false],
	[false, undefined, false],
	[['a'], 'a', false],
	[['a', 'b'], ['a'], false],
	[{ allow: ['a'] }, { block: ['a'] }, false],
	[['STRASSE'], ['straße'], false],
])('the values %j and %j of a rule mean the same: %s', (one, other, isSame) => {
	expect(isSameRule(one, other)).toBe(isSame);
	expect(isSameRule(other, one)).toBe(isSame);
});
