import { fetchRules, fetchShownRules, findRules } from '../../../../nodes/shared/api/drmRules';
import { isSameRule, parseRule, toCanonicalRule } from '../../../../nodes/shared/api/ruleValues';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

const others = {
	...{ dynamic: true, downloadable: false, opens: 3, time: { end: '2026-12-31' } },
	...{ geo: { allow: [{ country: 'CH' }] }, ip: { block: ['192.0.2.0/24'] } },
};
const recipients = ['a@x.example'];
const rules = { ...others, recipients };
const without = { dynamic: null, downloadable: null };

describe('rules', () => {
	it.each([
		['at the top level', rules],
		['under drm', { drm: rules }],
		['under rules', { rules }],
		['under drm_rules', { drm_rules: rules }],
		['under data', { data: rules }],
		['under data and drm', { data: { drm: rules } }],
		['under drm and data', { drm: { data: rules } }],
		['under two names', { drm: { id: 5, rules } }],
		['under a name, beside one that is null', { drm: null, rules }],
		['in an envelope', { org_id: 'u', container: { uuid: 'c', drm: rules } }],
		['beside a message', { message: 'Updated', drm: rules, time: '12 ms' }],
		['beside a message about the time', { data: rules, time: { took: 3 } }],
		['with other fields', { ...rules, uuid: 'c', updated: 'now' }],
		['beside a flag of that name', { drm: true, ...rules }],
		['with those of before', { ...rules, before: { ...rules, opens: 9, dynamic: false } }],
		['beside an object with familiar fields', { drm: rules, audit: { opens: 17, ip: '::1' } }],
		['with the address of the request', { ...rules, request: { ip: { is: 'x' }, geo: '' } }],
		['with their recipients in the container', { container: { recipients }, drm: others }],
		['with their recipients around them', { container: { recipients, drm: others } }],
		['with their recipients beside them', { recipients, drm: others }],
		['with the same recipients twice', { recipients: ['A@x.example'], drm: rules }],
		['with the same recipients in two forms', { recipients: 'a@x.example', drm: rules }],
		['three levels down', { a: { b: { c: rules } } }],
		['with rules that are null', { ...rules, drm_version: null, request: null }],
		['nearer to the top than others', { a: { b: { drm: { opens: 9 } } }, drm: rules }],
		[
			'with their switches in the container',
			{ container: { dynamic: true, downloadable: false, drm: { ...rules, ...without } } },
		],
	])('are found %s', (_shape, value) => {
		expect(findRules(value)).toMatchObject({ rules });
		expect(findRules(value)).toHaveProperty('doubts', {});
		expect(Object.keys(findRules(value).rules ?? {}).sort()).toEqual(Object.keys(rules).sort());
	});

	it('are certain where the container has their recipients in another form', () => {
		const response = { recipients, drm: { ...others, recipients: 'a@x.example' } };
		expect(findRules(response)).toHaveProperty('doubts', {});
	});

	it('keep each value as it came, apart from null', () => {
		const odd = { dynamic: 1, geo: '', ip: [], opens: '', time: { start: [2026], end: 0 } };
		const response = { ...odd, downloadable: null, recipients: [{ id: 1 }] };
		expect(findRules(response).rules).toEqual({ ...odd, recipients: [{ id: 1 }] });
	});

	it.each([
		...[{ drm: {} }, { drm: [] }, { container_id: 'c-1', drm: null }, { rules: null }],
		{ drm_rules: [] },
		...[{ drm: { geo: null, recipients: null } }, { drm: { rules: {} } }],
		{ drm: { policy: null } },
	])('are none under their name in %j', (response) => {
		expect(findRules(response).rules).toEqual({});
	});

	it.each<[unknown, string?]>([
		[{ message: 'The rules were changed', status: 'ok' }],
		[{ message: 'ok', time: '2026-11-21T10:00:00Z' }],
		[{ message: 'ok', time: { took: 3 } }],
		[{ uuid: 'c', ip: { address: '192.0.2.1' } }],
		[{ opens: 'unlimited' }],
		[[rules]],
		['dynamic'],
		[{}],
		[{ a: { b: { c: { d: rules } } } }],
		[{ rules: [rules] }],
		[{ drm: { policy: 5 } }, 'access rules with the fields policy'],
		[{ drm: { Dynamic: false, Opens: 1 } }, 'access rules with the fields Dynamic, Opens'],
		[{ drm: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } }, 'access rules with the fields a, b, c, d, e'],
		[{ opens: 'many', dynamic: 'maybe' }],
	])('are not found in %j', (value, ...[problem]) => {
		expect(findRules(value)).toEqual(problem === undefined ? {} : { problem });
	});

	it.each([
		...[{ ip: { allow: ['x'] } }, { time: { start: 'x' } }, { opens: '3' }, { recipients: [] }],
		...[{ geo: { block: [] } }, { time: { end: null } }],
		{ opens: 'many', dynamic: 'maybe', downloadable: 'rarely' },
	])('can stand alone: %j', (response) => {
		expect(findRules(response).rules).toEqual(response);
	});

	it('come with the fields beside them and around them', () => {
		const drm = { opens: 3, policy: 'strict' };
		expect(findRules({ uuid: 'c-1', drm })).toMatchObject({
			record: { uuid: 'c-1', ...drm },
			own: drm,
		});
		expect(findRules(drm)).toMatchObject({ record: drm, own: {} });
	});
});

describe('rules that are fetched', () => {
	it('are those of the container', async () => {
		const { client, sent, replies } = setUpClient([{ body: { drm: rules } }]);
		expect(await fetchRules(client, 'c 1')).toEqual(rules);
		expect(sent[0]).toMatchObject({ method: 'GET', url: `${baseUrl}/containers/c%201/drm` });

		replies.push({ body: {} }, { status: 404 });
		expect(await fetchRules(client, 'c-1')).toEqual({});
		expect((await errorOf(fetchRules(client, 'c-1'))).message).toMatch(/"c-1" was not found/);
	});

	it('are in the documented form where they are needed, and as they came otherwise', async () => {
		const body = { dynamic: 1, opens: '', geo: '', recipients: 'a@x.example', time: [] };
		const { client } = setUpClient([{ body }]);
		const { rules: shown } = await fetchShownRules(client, 'c-1', ['recipients', 'time', 'ip']);
		expect(shown).toEqual({ ...body, recipients, time: {} });
	});

	it('need no rules where they are only compared', async () => {
		const { client, sent } = setUpClient([{ body: { drm: others } }]);
		expect((await fetchShownRules(client, 'c-1')).rules).toEqual(others);
		expect(sent).toHaveLength(1);
	});

	it.each<[object, object]>([
		[{ uuid: 'c-1', recipients: 'a@x.example' }, rules],
		[{ org_id: 'u', container: { uuid: 'C-1', recipients } }, rules],
		[{ uuid: 'c-1' }, others],
		[{ uuid: 'c-1', drm: { recipients } }, rules],
	])('take recipients that they lack from the container: %j', async (body, expected) => {
		const { client, sent } = setUpClient([{ body: others }, { body }]);
		expect((await fetchShownRules(client, 'c-1', ['recipients'])).rules).toEqual(expected);
		expect(sent[1]).toMatchObject({ method: 'GET', url: `${baseUrl}/containers/c-1` });
	});

	it.each<[object, string]>([
		[{ uuid: 'c-1', recipients: 2 }, '"recipients" with the value 2 instead of recipients'],
		[{ uuid: 'c-2', recipients }, 'the container "c-2" instead of the container "c-1"'],
	])('are an error with such a container: %j', async (body, problem) => {
		const { client } = setUpClient([{ body: others }, { body }]);
		const { message } = await errorOf(fetchShownRules(client, 'c-1', ['recipients']));
		expect(message).toBe(
			`The service returned ${problem} for the request to get the recipients of the container`,
		);
	});

	it.each<[object, string, string?]>([
		[{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 'an object with the fields a, b, c, d, e'],
		[{ drm: { recipients: 2 } }, '"recipients" with the value 2'],
		[{ container: { recipients: ['b@x.example'] }, drm: rules }, 'two different "recipients"'],
		[{ containerId: 'C-2', drm: rules }, 'the container "C-2"', 'the container "c-1"'],
		[{ container: { uuid: 'c-2', drm: rules } }, 'the container "c-2"', 'the container "c-1"'],
	])('are an error with %j', async (body, received, expected = 'access rules') => {
		const { client } = setUpClient([{ body }]);
		const error = await errorOf(fetchShownRules(client, 'c-1', ['recipients']));
		expect(error.message).toBe(
			`The service returned ${received} instead of ${expected} for the request to get the rules of the container`,
		);
	});

	it.each([
		...[{ container_id: 'C-1', drm: rules }, { container: { id: 'c-1', drm: rules } }],
		...[
			{ uuid: 'rules-7', ...rules },
			{ id: 7, container: 'c-1', drm: rules },
		],
	])('are of the container with %j', async (body) => {
		const { client } = setUpClient([{ body }]);
		expect(await fetchRules(client, 'c-1')).toEqual(rules);
	});
});

it.each<[unknown, unknown, boolean]>([
	[['a@x', 'b@x'], ['b@x', 'a@x'], true],
	[['Anna <A@münchen.de>'], [' a@xn--mnchen-3ya.de'], true],
	[['a@x', 'a@x'], ['a@x'], true],
	[[{ country: 'CH', city: null }], [{ country: 'ch ' }], true],
	[{ allow: [], block: ['x'] }, { block: ['x'] }, true],
	[{ allow: null }, {}, true],
	[undefined, { start: '', end: null }, true],
	[3, '3', false],
	[false, undefined, false],
	[0, null, false],
	[['a'], 'a', false],
	[[['a'], 'b'], ['a', 'b'], false],
	[['a', 'b'], ['a'], false],
	[{ allow: ['a'] }, { block: ['a'] }, false],
	[['STRASSE'], ['straße'], false],
])('the values %j and %j of a rule mean the same: %s', (one, other, isSame) => {
	expect(isSameRule(one, other)).toBe(isSame);
	expect(isSameRule(other, one)).toBe(isSame);
});

it('the same meaning has the same text', () => {
	expect(toCanonicalRule({ b: [' X', 'x'], a: null })).toBe('{"b":["x"]}');
	expect(toCanonicalRule([])).toBe('');
});

it.each<[string, unknown, unknown]>([
	['opens', 3, 3],
	['opens', '12', 12],
	['opens', '1.0', undefined],
	['opens', '9007199254740993', undefined],
	['opens', '', undefined],
	['dynamic', '1', true],
	['dynamic', 'True', true],
	['dynamic', 'False', false],
	['downloadable', 0, false],
	['downloadable', 'maybe', undefined],
	['geo', { allow: [] }, { allow: [] }],
	['geo', [], {}],
	['geo', '', {}],
	['ip', ['192.0.2.1'], undefined],
	['time', { end: '2026-12-31' }, { end: '2026-12-31' }],
	['time', 'always', undefined],
	['recipients', ['a@x', ' B@x '], ['a@x', 'B@x']],
	['recipients', 'a@x b@x;c@x,', ['a@x', 'b@x', 'c@x']],
	['recipients', '', []],
	['recipients', 'a@x, all', undefined],
	['recipients', ['Ada <a@x> ', '"B, C" <b@x>', 'MAILTO: c@x'], ['a@x', 'b@x', 'c@x']],
	['recipients', [{ email: 'a@x', mail: 'A@X', name: 'A' }], ['a@x']],
	['recipients', [{ mail: 'a@x', address: 'Main Street 1' }], ['a@x']],
	['recipients', [{ email: 'a@x', mail: 'b@x' }], undefined],
	['recipients', [{ name: 'A' }], undefined],
	['recipients', ['a@x', null, ''], ['a@x']],
	['recipients', [' '], undefined],
	['recipients', 2, undefined],
	['recipients', ['anna@x, bob@y'], undefined],
	['recipients', ['anna@x bob@y'], undefined],
	['recipients', ['anna@x <bob@y>'], undefined],
	['recipients', ['anna@x\uFF0C'], undefined],
	['recipients', [null, { email: 7, mail: 'a@x' }], ['a@x']],
	['recipients', [[]], undefined],
	['recipients', ['Everybody'], ['Everybody']],
])('the rule %s is parsed in an obvious form: %j', (key, value, expected) => {
	expect(parseRule(key, value)).toEqual(expected);
});

it.each<[string, unknown]>([
	['one that is longer than any address', [`a@${'é.'.repeat(500)}example`]],
	['such a one in an object', [{ email: `a@${'é.'.repeat(500)}example` }]],
])('recipients are not understood: %s', (_what, value) => {
	expect(parseRule('recipients', value)).toBeUndefined();
});

it('recipients are understood whatever many there are, and up to the longest address', () => {
	const many = Array.from({ length: 10_001 }, () => 'a@x.example');
	expect(parseRule('recipients', many)).toEqual(many);
	expect(toCanonicalRule(many.slice(1).map((_, at) => `a${at}@É.example`))).not.toContain('é');
	const longest = `a@${'x'.repeat(998)}`;
	expect(parseRule('recipients', [longest])).toEqual([longest]);
});

it('of more recipients than a container has, the others are compared as they are', () => {
	const many = [...Array.from({ length: 10_001 }, (_, at) => `a${at}@x.example`), 'z@é.example'];
	expect(toCanonicalRule(many)).toContain('z@é.example');
});
