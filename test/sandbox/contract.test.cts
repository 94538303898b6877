import type { ContractRequest, ContractResponse } from '../../sandbox/contract/contract.cts';
import { loadContract } from '../../sandbox/contract/contract.cts';
import { contractFor } from '../../sandbox/contract/departures.cts';
import { loadDocument, OPERATION_IDS } from '../../sandbox/contract/document.cts';
import { defaultSettings, startSandbox } from '../../sandbox/index.cts';
import { createApi, filePart, NAMED } from './support/api.cts';
import { useSandbox } from './support/sandbox.cts';

const running = useSandbox();
const contract = loadContract();

const KEY = { authorization: 'Bearer a-key' };
const JSON_BODY = { ...KEY, 'content-type': 'application/json; charset=utf-8' };
const FORM = { ...KEY, 'content-type': 'multipart/form-data; boundary=b' };
const MANIFEST = {
	name: 'manifest.json',
	type: 'application/json',
	text: '{"container":{"name":"x"}}',
};
const FILE = { name: 'file', type: 'image/png' };

describe('docs/openapi.yaml', () => {
	it('has the twelve operations', () => {
		expect(contract.operations.map(({ operationId }) => operationId).sort()).toEqual(
			[...OPERATION_IDS].sort(),
		);
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

describe('an operation', () => {
	it.each([
		['GET', '/me', 'getMe'],
		['POST', '/users/u/containers/encode', 'encodeFiles'],
		['GET', '/users/u/containers?cursor=x', 'listContainers'],
		['GET', '/users/u/containers/c', 'getContainerEnvelope'],
		['GET', '/containers/c', 'getContainer'],
		['DELETE', '/containers/c', 'deleteContainer'],
		['GET', '/containers/a%2Fb/drm', 'getDrmRules'],
		['PATCH', '/containers/c/drm', 'updateDrmRules'],
		['GET', '/users/u/contacts', 'listContacts'],
		['GET', '/users/u/contacts/a%40b', 'getContact'],
		['PATCH', '/users/u/contacts/a%40b', 'upsertContact'],
		['DELETE', '/users/u/contacts/a%40b', 'deleteContact'],
		['POST', '/me', undefined],
		['GET', '/containers/', undefined],
		['GET', '/containers/%zz', undefined],
		['GET', '/me/', undefined],
	])('is found by method and path: %s %s', (method, path, operationId) => {
		expect(contract.findOperation(method, path)?.operationId).toBe(operationId);
	});
});

describe('a request', () => {
	const rules = (body: unknown): ContractRequest => ({
		method: 'PATCH',
		path: '/containers/c/drm',
		headers: JSON_BODY,
		body,
	});
	const upload = (...parts: ContractRequest['parts'] & object): ContractRequest => ({
		method: 'POST',
		path: '/users/u/containers/encode',
		headers: FORM,
		parts,
	});
	const get = (path: string): ContractRequest => ({ method: 'GET', path, headers: KEY });

	it.each<[string, ContractRequest]>([
		['without a body', get('/containers/c')],
		['with any query of a list', get('/users/u/contacts?tag=x&tag=y&cursor=z')],
		['with rules', rules({ opens: 0, time: { end: '2024-02-29' }, recipients: ['*@*'] })],
		['with a form', upload(MANIFEST, FILE, FILE)],
	])('fits %s', (_name, request) => {
		expect(contract.validateRequest(request)).toEqual([]);
	});

	it.each<[string, ContractRequest, string[]]>([
		['an unknown operation', get('/nothing'), ['There is no operation GET /nothing']],
		[
			'an email address without @',
			get('/users/u/contacts/nobody'),
			['path.email must match pattern "^\\S+@\\S+$"'],
		],
		[
			'no API key',
			{ ...get('/me'), headers: {} },
			['header.authorization must be Bearer <API key>'],
		],
		['an unknown query', get('/me?fields=id'), ['query has an unknown parameter: fields']],
		['a body where there is none', { ...get('/me'), body: {} }, ['getMe accepts no body']],
		['no body', rules(undefined), ['body is missing']],
		[
			'a body of another type',
			{ ...rules({}), headers: { ...KEY, 'content-type': 'text/plain' } },
			['body must be of type application/json'],
		],
		[
			'several wrong rules',
			rules({ opens: -1, geo: { allow: [{ city: 'x' }] }, expires: 1 }),
			[
				'body.opens must be >= 0',
				'body.geo.allow[0].country is missing',
				'body has an unknown key: expires',
			],
		],
		[
			'a day that does not exist',
			rules({ time: { end: '2026-02-29' } }),
			['body.time.end must match format "date"'],
		],
		['an empty form', upload(), ['form.manifest.json is missing', 'form.file is missing']],
		[
			'parts of the wrong number, name and type',
			upload(MANIFEST, MANIFEST, { ...FILE, name: '__proto__' }),
			[
				'form.manifest.json must be one part, not 2',
				'form.file is missing',
				'form has an unknown key: __proto__',
			],
		],
		[
			'a manifest of another type',
			upload({ ...MANIFEST, type: 'text/plain' }, FILE),
			['form.manifest.json must be of type application/json'],
		],
		[
			'a file without a type',
			upload(MANIFEST, { ...FILE, type: '' }),
			['form.file must be of type */*'],
		],
	])('does not fit with %s', (_name, request, problems) => {
		const found = contract.validateRequest(request);
		expect([...found].sort()).toEqual([...problems].sort());
	});

	it('is checked as the settings change the contract', () => {
		const settings = { ...defaultSettings(), filePart: 'files', drmTimes: 'timestamp' as const };
		const departed = contractFor(settings);
		const time = { end: '2026-01-01T00:00:00Z' };
		expect(departed.validateRequest(rules({ time }))).toEqual([]);
		expect(departed.validateRequest(upload(MANIFEST, { ...FILE, name: 'files' }))).toEqual([]);
		expect(departed.validateRequest(upload(MANIFEST, FILE))).not.toEqual([]);
		expect(contract.validateRequest(rules({ time }))).not.toEqual([]);
	});
});

describe('a response', () => {
	const validate = (
		[method, path]: [string, string],
		status: number,
		value: unknown,
		headers: ContractResponse['headers'] = JSON_BODY,
	) =>
		contract.validateResponse(
			{ method, path },
			{ status, headers, text: typeof value === 'string' ? value : JSON.stringify(value) },
		);
	const CONTAINER = { org_id: 'u', container: { uuid: 'c', name: 'x', other: 1 } };

	it.each<[string, [string, string], number, unknown]>([
		['an envelope', ['GET', '/users/u/containers/c'], 200, CONTAINER],
		['a list of envelopes', ['GET', '/users/u/containers'], 200, [CONTAINER]],
		['a list in an object', ['GET', '/users/u/containers'], 200, { data: { items: [] } }],
		['rules under a key', ['GET', '/containers/c/drm'], 200, { drm: { opens: 1 } }],
		['an error of any status', ['GET', '/me'], 418, { message: 'no' }],
	])('fits: %s', (_name, request, status, value) => {
		expect(validate(request, status, value)).toEqual([]);
	});

	it('fits without a body where the contract leaves it open', () => {
		expect(validate(['DELETE', '/containers/c'], 204, '', {})).toEqual([]);
		expect(validate(['DELETE', '/containers/c'], 200, '', {})).toEqual([]);
		expect(validate(['GET', '/me'], 200, '', {})).toEqual([
			'getMe has no response 200 of type text/plain',
		]);
	});

	it.each<[string, [string, string], number, unknown, string]>([
		['a user without an id', ['GET', '/me'], 200, {}, 'response.id is missing'],
		[
			'a container without a name',
			['POST', '/users/u/containers/encode'],
			201,
			{ org_id: 'u', container: { uuid: 'c' } },
			'response.container.name is missing',
		],
		[
			'rules of the wrong type',
			['GET', '/containers/c/drm'],
			200,
			{ opens: '1' },
			'response.opens must be integer',
		],
		[
			'a list that is none',
			['GET', '/users/u/contacts'],
			200,
			{ total: 1 },
			'response must be array',
		],
		['truncated JSON', ['GET', '/me'], 200, '{"id":', 'The response is not JSON'],
		['a redirect', ['GET', '/me'], 302, {}, 'getMe has no response 302'],
		['a body with 204', ['DELETE', '/containers/c'], 204, {}, 'The response must have no body'],
	])('does not fit: %s', (_name, request, status, value, problem) => {
		expect(validate(request, status, value)).toContain(problem);
	});

	it('fits for each operation of the sandbox', async () => {
		const { api, sandbox } = running;
		const { uuid } = sandbox.addContainer({ rules: { dynamic: true } });
		const contact = api.mine('/contacts/a@example.com');
		const replies = [
			await api.call('GET', '/me'),
			await api.encode([NAMED, filePart('x')]),
			await api.call('GET', api.mine('/containers')),
			await api.call('GET', api.mine(`/containers/${uuid}`)),
			await api.call('GET', `/containers/${uuid}`),
			await api.call('PATCH', `/containers/${uuid}/drm`, { body: { opens: 1 } }),
			await api.call('GET', `/containers/${uuid}/drm`),
			await api.call('DELETE', `/containers/${uuid}`),
			await api.call('PATCH', contact, { body: { company: 'x' } }),
			await api.call('GET', api.mine('/contacts')),
			await api.call('GET', contact),
			await api.call('DELETE', contact),
		];
		expect(replies.every(({ status }) => status === 200 || status === 204)).toBe(true);
		const requests = sandbox.requests.map(({ operationId }) => operationId);
		expect([...requests].sort()).toEqual([...OPERATION_IDS].sort());
		for (const [index, reply] of replies.entries()) {
			const { method, path } = sandbox.requests[index];
			const request = { method, path: path.replace('/api/v1', '') };
			expect(contract.validateResponse(request, reply)).toEqual([]);
		}
	});

	it('that does not fit is a mistake of the sandbox, which its end reports', async () => {
		const broken = await startSandbox({ settings: { containerFields: { name: 5 } } });
		const api = createApi(broken);
		broken.addContainer();

		await api.call('GET', api.mine('/containers'));
		await api.call('GET', api.mine('/contacts'));

		const violation = /listContainers, 200: response\[0\]\.container\.name must be string/;
		expect([...broken.violations].join()).toMatch(violation);
		expect([...broken.violations].join()).not.toMatch(/listContacts/);
		await api.close();
		await expect(broken.stop()).rejects.toThrow(violation);
	});

	it('that a fault breaks on purpose is none', async () => {
		const { api, sandbox } = running;
		sandbox.faults.add({ kind: 'body', body: '{}' });

		expect((await api.call('GET', '/me')).json).toEqual({});

		expect(sandbox.violations.size).toBe(0);
	});
});
