import { fetchRules, fetchShownRules, findRules } from '../../../../nodes/shared/api/drmRules';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

const rules = {
	dynamic: true,
	geo: { allow: [{ country: 'CH' }] },
	ip: { block: ['192.0.2.0/24'] },
	opens: 3,
	time: { end: '2026-12-31' },
	downloadable: false,
	recipients: ['a@x.example'],
};
const { recipients, ...others } = rules;

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
		['with rules that are null', { ...rules, drm_version: null, request: null }],
	])('are found %s', (_shape, value) => {
		expect(findRules(value)).toMatchObject({ rules, doubts: {} });
		expect(Object.keys(findRules(value).rules ?? {}).sort()).toEqual(Object.keys(rules).sort());
	});

	it('keep each value as it came, apart from null', () => {
		const odd = { dynamic: 1, geo: '', ip: [], opens: '', time: { start: [2026], end: 0 } };
		const response = { ...odd, downloadable: null, recipients: [{ id: 1 }] };
		expect(findRules(response)).toMatchObject({ rules: { ...odd, recipients: [{ id: 1 }] } });
		expect(findRules(response).rules).not.toHaveProperty('downloadable');
	});

	it.each<[string, object]>([
		['an empty object', { drm: {} }],
		['an empty list', { drm: [] }],
		['null', { container_id: 'c-1', drm: null }],
		['rules that are null', { drm: { geo: null, recipients: null } }],
		['an empty object under two names', { drm: { rules: {} } }],
	])('are none under their name with %s', (_what, response) => {
		expect(findRules(response).rules).toEqual({});
	});

	it.each<[string, unknown, string?]>([
		['a message', { message: 'The rules were changed', status: 'ok' }],
		['a message with a time', { message: 'ok', time: '2026-11-21T10:00:00Z' }],
		['a message about the time', { message: 'ok', time: { took: 3 } }],
		['a message with an address', { uuid: 'c', ip: { address: '192.0.2.1' } }],
		['a count in words', { opens: 'unlimited' }],
		['a list', [rules]],
		['text', 'dynamic'],
		['nothing', {}],
		['a place that is too deep', { a: { b: { c: { d: rules } } } }],
		['a list under a name', { rules: [rules] }, 'a list of "rules"'],
		['unknown fields', { drm: { policy: 5 } }, 'access rules with the fields policy'],
		[
			'capitals',
			{ drm: { Dynamic: false, Opens: 1 } },
			'access rules with the fields Dynamic, Opens',
		],
	])('are not found in %s', (_shape, value, ...[problem]) => {
		expect(findRules(value)).toEqual(problem === undefined ? {} : { problem });
	});

	it.each([
		['ip', { ip: { allow: ['x'] } }],
		['time', { time: { start: 'x' } }],
		['opens', { opens: '3' }],
		['recipients', { recipients: [] }],
	])('can be one alone: %s', (_key, response) => {
		expect(findRules(response).rules).toEqual(response);
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
		expect((await fetchShownRules(client, 'c-1', ['recipients', 'time', 'ip'])).rules).toEqual({
			...body,
			recipients: ['a@x.example'],
			time: {},
		});
	});

	it.each<[string, object, string]>([
		[
			'other fields',
			{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 },
			'an object with the fields a, b, c, d, e',
		],
		[
			'a needed rule that cannot be read',
			{ drm: { recipients: 2 } },
			'"recipients" with the value 2',
		],
		[
			'a needed rule in two places',
			{ container: { recipients: ['b@x.example'] }, drm: rules },
			'two different "recipients"',
		],
	])('are an error with %s', async (_what, body, received) => {
		const { client } = setUpClient([{ body }]);
		const error = await errorOf(fetchShownRules(client, 'c-1', ['recipients']));
		expect(error.message).toBe(
			`The service returned ${received} instead of access rules for the request to get the rules of the container`,
		);
	});
});
