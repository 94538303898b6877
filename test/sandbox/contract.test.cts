import { contractFor, loadDocument, OPERATION_IDS } from '../../sandbox/contract.cts';
import { defaultSettings, startSandbox } from '../../sandbox/index.cts';
import { Agent } from 'undici';

const contract = contractFor({ ...defaultSettings(), requiredManifestFields: [] });
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const CONTAINER = { org_id: 'u', container: { uuid: 'c', name: 'x', other: 1 } };

describe('docs/openapi.yaml', () => {
	it('has the twelve operations', () => {
		const methods = Object.values(loadDocument().paths).flatMap((path) => Object.values(path));
		const ids = methods.flatMap(({ operationId }) => operationId ?? []);
		expect(ids.sort()).toEqual([...OPERATION_IDS].sort());
	});

	it('names each open point and what the nodes do there', () => {
		const points = openPoints(loadDocument());
		expect(points.length).toBeGreaterThan(30);
		for (const point of points) {
			expect(point).toEqual({
				unknown: expect.stringMatching(/\S/),
				node: expect.stringMatching(/\.$/),
			});
		}
	});

	function openPoints(node: unknown): unknown[] {
		if (typeof node !== 'object' || node === null) return [];
		return Object.entries(node).flatMap(([key, value]) =>
			key === 'x-open' ? (value as unknown[]) : openPoints(value),
		);
	}
});

// test/engine/contract.test.cts has more requests.
it.each<[string, string, unknown, string[]]>([
	['GET', '/users/u/contacts?tag=x&tag=y&cursor=z', undefined, []],
	['GET', '/users/u/contacts/a%40b', undefined, []],
	['GET', '/users/u/contacts/nobody', undefined, ['path.email must match pattern "^\\S+@\\S+$"']],
	['GET', '/me/', undefined, ['There is no operation GET /me/']],
	['GET', '/containers/%zz', undefined, ['There is no operation GET /containers/%zz']],
	['GET', '/me', {}, ['getMe accepts no body']],
	['PATCH', '/containers/a%2Fb/drm', { opens: 0, time: { end: '2024-02-29' } }, []],
	['PATCH', '/containers/c/drm', undefined, ['body is missing']],
	[
		'PATCH',
		'/containers/c/drm',
		{ opens: -1, geo: { allow: [{ city: 'x' }] }, expires: 1, time: { end: '2026-02-29' } },
		[
			'body has an unknown key: expires',
			'body.geo.allow[0].country is missing',
			'body.opens must be >= 0',
			'body.time.end must match format "date"',
		],
	],
])('%s %s with %j has these problems: %j', (method, path, body, problems) => {
	const headers = { ...JSON_TYPE, authorization: 'Bearer a-key' };
	expect(contract.validateRequest({ method, path, headers, body }).sort()).toEqual(problems);
});

it.each<[string, string, number, unknown, string[]]>([
	['GET', '/users/u/containers/c', 200, CONTAINER, []],
	['GET', '/users/u/containers', 200, [CONTAINER], []],
	['GET', '/users/u/containers', 200, { data: { items: [] } }, []],
	['GET', '/containers/c/drm', 200, { drm: { opens: 1 } }, []],
	['GET', '/me', 418, { message: 'no' }, []],
	['DELETE', '/containers/c', 204, undefined, []],
	['DELETE', '/containers/c', 200, undefined, []],
	['DELETE', '/containers/c', 204, {}, ['The response must have no body']],
	['GET', '/me', 200, undefined, ['getMe has no response 200 of type text/plain']],
	['GET', '/me', 302, {}, ['getMe has no response 302']],
	[
		'POST',
		'/users/u/containers/encode',
		201,
		{ org_id: 'u', container: { uuid: 'c' } },
		['response.container.name is missing'],
	],
])(
	'the response to %s %s, %i with %j, has these problems: %j',
	(method, path, status, body, problems) => {
		const sent =
			body === undefined
				? { headers: {}, text: '' }
				: { headers: JSON_TYPE, text: JSON.stringify(body) };
		expect(contract.validateResponse({ method, path }, { status, ...sent })).toEqual(problems);
	},
);

it('a response that does not fit is a mistake of the sandbox, which its end reports', async () => {
	const sandbox = await startSandbox({ settings: { containerFields: { name: 5 } } });
	sandbox.addContainer();
	const agent = new Agent({ connect: { ca: sandbox.ca } });
	for (const name of ['containers', 'contacts']) {
		const path = `/api/v1/users/${sandbox.user.id}/${name}`;
		const headers = { authorization: `Bearer ${sandbox.apiKey}` };
		await agent.request({ origin: sandbox.origin, path, method: 'GET', headers });
	}
	await agent.destroy();

	const violation = /listContainers, 200: response\[0\]\.container\.name must be string/;
	expect([...sandbox.violations].join()).toMatch(violation);
	expect([...sandbox.violations].join()).not.toMatch(/listContacts/);
	await expect(sandbox.stop()).rejects.toThrow(violation);
});
