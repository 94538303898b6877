import { fetchRules, findRules } from '../../../../nodes/shared/api/drmRules';
import { baseUrl, errorOf, setUpClient } from '../../support/client.cts';

const rules = { dynamic: true, opens: 3, time: { end: '2026-12-31' }, recipients: ['a@x.example'] };

describe('rules in the types of other languages', () => {
	it.each<[string, object, object]>([
		['a number in text', { opens: '3' }, { opens: 3 }],
		['1 and 0', { dynamic: 1, downloadable: 0 }, { dynamic: true, downloadable: false }],
		['"1" and "0"', { dynamic: '1', downloadable: '0' }, { dynamic: true, downloadable: false }],
		['"True"', { dynamic: 'True', downloadable: 'false' }, { dynamic: true, downloadable: false }],
		['empty lists for objects', { geo: [], ip: [], time: [] }, { geo: {}, ip: {}, time: {} }],
		[
			'recipients as objects',
			{
				recipients: [
					{ email: 'a@x.example', name: 'A' },
					{ address: 'b@x.example' },
					'c@x.example',
				],
			},
			{ recipients: ['a@x.example', 'b@x.example', 'c@x.example'] },
		],
		[
			'a recipient with a postal address',
			{ recipients: [{ mail: 'a@x.example', address: 'Main Street 1' }] },
			{ recipients: ['a@x.example'] },
		],
		[
			'recipients with a name',
			{
				recipients: ['Ada <a@x.example>', { email: '"B, C" <b@x.example>' }, 'mailto:c@x.example'],
			},
			{ recipients: ['a@x.example', 'b@x.example', 'c@x.example'] },
		],
		[
			'recipients in text',
			{ recipients: 'a@x.example, b@x.example' },
			{ recipients: ['a@x.example', 'b@x.example'] },
		],
		[
			'a list with gaps, which PHP writes as an object',
			{ recipients: { 0: 'a@x.example', 2: 'b@x.example' } },
			{ recipients: ['a@x.example', 'b@x.example'] },
		],
		['an empty list of recipients', { recipients: [] }, { recipients: [] }],
	])('are converted to the documented ones: %s', (_what, value, expected) => {
		expect(findRules({ drm: { ...rules, ...value } })).toEqual({
			rules: { ...rules, ...expected },
		});
		expect(findRules({ ...rules, ...value })).toEqual({ rules: { ...rules, ...expected } });
	});

	it.each<[string, object, RegExp]>([
		['a number in words', { opens: 'unlimited' }, /"opens" with the value "unlimited"/],
		['a switch in words', { dynamic: 'maybe' }, /"dynamic" with the value "maybe"/],
		['a list of countries', { geo: [{ country: 'CH' }] }, /"geo" with the value/],
		['a window in words', { time: 'always' }, /"time" with the value "always"/],
		['a time that is no window', { time: { took: 3 } }, /"time" with the value {"took":3}/],
		['recipients as objects without an address', { recipients: [{ name: 'A' }] }, /"recipients"/],
		['recipients that are null', { recipients: ['a@x.example', null] }, /"recipients"/],
		[
			'a recipient with two addresses',
			{ recipients: [{ email: 'a@x.example', mail: 'b@x.example' }] },
			/"recipients"/,
		],
		['a number of recipients', { recipients: 2 }, /"recipients" with the value 2/],
		['another spelling', { Recipients: ['b@x.example'] }, /a field "Recipients"/],
	])('are not certain with %s', (_what, value, problem) => {
		for (const response of [{ drm: { ...rules, ...value } }, { ...rules, ...value }]) {
			expect(findRules(response)).toEqual({ problem: expect.stringMatching(problem) });
		}
	});
});

describe('rules in several places', () => {
	const { recipients, ...others } = rules;

	it.each<[string, object]>([
		['recipients in the container', { container: { recipients }, drm: others }],
		['recipients beside them', { recipients, drm: others }],
		['recipients around them', { container: { uuid: 'c', recipients, drm: others } }],
		[
			'recipients as objects',
			{ container: { recipients: [{ email: recipients[0] }] }, drm: others },
		],
		['the same recipients twice', { recipients: ['A@X.example', 'a@x.example'], drm: rules }],
		['whether they can change beside them', { dynamic: 1, drm: { ...rules, dynamic: undefined } }],
		['a message about the time', { data: rules, time: { took: 3 } }],
		['a message about the time, in text', { drm: rules, time: '12 ms', opens: 'x' }],
		['the address of the request', { drm: rules, request: { ip: { address: '192.0.2.1' } } }],
		['the address of the request, with bare rules', { ...rules, request: { ip: { is: 'x' } } }],
		['rules under two names', { drm: { rules } }],
		['rules under a name that is null', { drm: null, rules }],
		['a flag of that name', { drm: true, ...rules }],
		['a count beside recipients', { recipients, opens: 'x', drm: rules }],
	])('are put together where they are certain: %s', (_what, response) => {
		expect(findRules(response).rules).toEqual(rules);
	});

	it.each<[string, object, RegExp]>([
		[
			'other recipients',
			{ container: { recipients: ['b@x.example'] }, drm: rules },
			/two different "rec/,
		],
		['other switches', { dynamic: false, data: rules }, /two different "dynamic"/],
		['opens, which may be a count', { opens: 17, drm: { dynamic: true } }, /"opens" beside the/],
		['a window of something else', { time: { start: 1 }, drm: { dynamic: true } }, /"time" beside/],
		[
			'recipients that cannot be read',
			{ container: { recipients: [{ user: 5 }] }, drm: others },
			/"recipients" with the value/,
		],
		[
			'recipients in another spelling',
			{ container: { Recipients: ['a@x'] }, drm: others },
			/"Recip/,
		],
		['a name for other things', { drm: { Dynamic: false } }, /a field "Dynamic"/],
		['a name for unknown things', { drm: { policy: 5 } }, /access rules with the fields policy/],
		['a list', { drm: [rules] }, /a list of "drm"/],
	])('are not certain: %s', (_what, response, problem) => {
		expect(findRules(response)).toEqual({ problem: expect.stringMatching(problem) });
	});

	it.each<[string, object]>([
		['an empty object', { drm: {} }],
		['an empty list of PHP', { drm: [] }],
		['null', { drm: null }],
		['rules that are null', { drm: { geo: null, recipients: null } }],
	])('are none under their name with %s', (_what, response) => {
		expect(findRules(response)).toEqual({ rules: {} });
	});

	it.each<[string, unknown]>([
		['a message with a time', { message: 'ok', time: null }],
		['a message about the time', { message: 'ok', time: { took: 3 } }],
		['an address', { ip: { address: '192.0.2.1' } }],
		['a list', [rules]],
		['nothing', {}],
	])('are not there in %s', (_what, response) => {
		expect(findRules(response)).toEqual({});
	});
});

describe('rules', () => {
	const rules = {
		dynamic: true,
		geo: { allow: [{ country: 'CH' }] },
		ip: { block: ['192.0.2.0/24'] },
		opens: 3,
		time: { end: '2026-12-31' },
		downloadable: false,
		recipients: ['a@example.com'],
	};

	it.each([
		['at the top level', rules],
		['under drm', { drm: rules }],
		['under rules', { rules }],
		['under drm_rules', { drm_rules: rules }],
		['under data', { data: rules }],
		['under data and drm', { data: { drm: rules } }],
		['in an envelope', { org_id: 'u', container: { uuid: 'c', drm: rules } }],
		['beside a message', { message: 'Updated', drm: rules }],
	])('are found %s, with complete documented keys', (_shape, value) => {
		expect(findRules(value).rules).toEqual(rules);
	});

	it('contain only the seven documented keys', () => {
		expect(findRules({ drm: { ...rules, uuid: 'c', updated: 'now' } }).rules).toEqual(rules);
		expect(findRules({ ...rules, uuid: 'c', updated: 'now' }).rules).toEqual(rules);
	});

	it('omit what is not set', () => {
		expect(findRules({ opens: 2, geo: null, time: null }).rules).toEqual({ opens: 2 });
	});

	it('can be empty under their name', () => {
		expect(findRules({ drm: {} }).rules).toEqual({});
		expect(findRules({ container_id: 'c-1', drm: null }).rules).toEqual({});
	});

	it.each([
		['a message', { message: 'The rules were changed', status: 'ok' }],
		['a message with a time', { message: 'ok', time: '2026-11-21T10:00:00Z' }],
		['a message with counted opens as text', { opens: 'unlimited' }],
		['a list', [rules]],
		['text', 'dynamic'],
		['null', null],
		['a place that is too deep', { a: { b: { c: { drm: rules } } } }],
	])('are not found in %s', (_shape, value) => {
		expect(findRules(value).rules).toBeUndefined();
	});
});

describe('rules that are fetched', () => {
	it('are those of the container', async () => {
		const { client, sent, replies } = setUpClient([{ body: { drm: rules } }]);
		expect(await fetchRules(client, 'c 1')).toEqual(rules);
		expect(sent[0]).toMatchObject({ method: 'GET', url: `${baseUrl}/containers/c%201/drm` });

		replies.push({ status: 404 }, { status: 422 });
		expect((await errorOf(fetchRules(client, 'c-1'))).message).toMatch(/"c-1" was not found/);
		expect((await errorOf(fetchRules(client, 'c-1'))).message).toMatch(
			/get the rules of the container/,
		);
	});

	it.each<[string, object]>([
		['an empty object', {}],
		['empty rules', { drm: {} }],
	])('are none with %s', async (_what, body) => {
		expect(await fetchRules(setUpClient([{ body }]).client, 'c-1')).toEqual({});
	});

	it.each<[string, object, string]>([
		[
			'other fields',
			{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 },
			'an object with the fields a, b, c, d, e',
		],
		['rules that are not certain', { drm: { opens: 'x' } }, '"opens" with the value "x"'],
		[
			'another name',
			{ drm: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } },
			'access rules with the fields a, b, c, d, e',
		],
	])('are an error with %s', async (_what, body, received) => {
		const error = await errorOf(fetchRules(setUpClient([{ body }]).client, 'c-1'));
		expect(error.message).toBe(
			`The service returned ${received} instead of access rules for the request to get the rules of the container`,
		);
	});

	it('of a missing container stop the execution unless it may be missing', async () => {
		let failures = 0;
		const { client } = setUpClient([{ status: 404 }, { status: 404 }], {
			onFailure: () => (failures += 1),
		});
		await errorOf(fetchRules(client, 'c-1', true));
		expect(failures).toBe(0);
		await errorOf(fetchRules(client, 'c-1'));
		expect(failures).toBe(1);
	});
});

describe('rules beside others', () => {
	it.each<[string, object, object]>([
		[
			'drm_rules beside a switch',
			{ drm_rules: { opens: 3 }, downloadable: false },
			{ rules: { opens: 3, downloadable: false } },
		],
		['an address list alone', { ip: { allow: ['x'] } }, { rules: { ip: { allow: ['x'] } } }],
		['a block list alone', { ip: { block: ['x'] } }, { rules: { ip: { block: ['x'] } } }],
		['an end alone', { time: { end: 'x' } }, { rules: { time: { end: 'x' } } }],
		['a start alone', { time: { start: 'x' } }, { rules: { time: { start: 'x' } } }],
		['one rule and other fields', { uuid: 'c', ip: { is: 'x' } }, {}],
		[
			'rules in a rule',
			{ geo: { drm: { opens: 1 } }, opens: 2 },
			{ rules: { geo: { drm: { opens: 1 } }, opens: 2 } },
		],
		['rules at the third level', { a: { b: { drm: { opens: 1 } } } }, { rules: { opens: 1 } }],
		[
			'rules under three names',
			{ drm: { rules: { drm_rules: { opens: 1 } } } },
			{ rules: { opens: 1 } },
		],
		[
			'a name in a name, with more',
			{ drm: { opens: 1, rules: { dynamic: true } } },
			{ rules: { opens: 1, dynamic: true } },
		],
		[
			'a wrapper with other fields',
			{ drm: { id: 5, rules: { opens: 1 } } },
			{ rules: { opens: 1 } },
		],
		[
			'recipients that cannot be read beside those that can',
			{ recipients: [5], drm: { recipients: ['a@x'] } },
			{ rules: { recipients: ['a@x'] } },
		],
		[
			'a wrapper in a name',
			{ drm: { data: { opens: 1, dynamic: true } } },
			{ rules: { opens: 1, dynamic: true } },
		],
		[
			'rules too deep in a name',
			{ drm: { opens: 1, a: { b: { recipients: ['a@x'] } } } },
			{ rules: { opens: 1 } },
		],
		[
			'a wrapper with a rule and another spelling',
			{ drm: { opens: 1, Dynamic: true, rules: { recipients: ['a@x'] } } },
			{ problem: 'a field "Dynamic"' },
		],
		['an empty wrapper in a name', { drm: { rules: {} } }, { problem: expect.any(String) }],
	])('are found, or not: %s', (_what, response, expected) => {
		expect(findRules(response)).toEqual(expected);
	});
});
