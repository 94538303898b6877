import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
	defaultCredentials,
	runHttpRequestNodeStyle,
	runListSearch,
	runNode,
	runPoll,
	testCredential,
} from '../support/engine.cts';
import { loadPackage } from '../support/package.cts';
import { mockService } from '../support/nock.cts';
import { runAgent, type AgentWay } from './support/agent.cts';
import { httpsService } from './support/httpsService.cts';
import { containerId, sequential, userId } from './support/operations.cts';

const service = mockService();
const { baseUrl, apiKey } = defaultCredentials;
const bearer = `Bearer ${apiKey}`;

describe('the credential test', () => {
	it.each([
		[baseUrl, apiKey],
		[` ${baseUrl}/ \t`, ` ${apiKey}\n`],
		[baseUrl, `bearer  ${apiKey}`],
	])('fetches the user of the API key at %j with %j', async (entered, key) => {
		service.get('/me').reply(200, { id: 'user-1', email: 'ada@example.com' });

		expect(await testCredential({ baseUrl: entered, apiKey: key })).toMatchObject({ status: 'OK' });
		expect(service.requests).toMatchObject([
			{ method: 'GET', path: '/api/v1/me', headers: { authorization: bearer } },
		]);
	});

	it.each([
		[401, /did not accept this API key.*Configuration > API Keys/],
		[403, /no permission to read its own user/],
		[404, /Nothing found here.*Base URL/],
		[500, /500|Internal|error/i],
	])('fails with a clear message after status %i', async (status, message) => {
		// n8n sends a second request after 401.
		const times = status === 401 ? 2 : 1;
		service.get('/me').times(times).reply(status, { message: 'Refused' });

		const result = await testCredential({ baseUrl, apiKey });

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
		expect(result.message).not.toContain(apiKey);
	});

	it.each([
		['an HTML page', '<!doctype html><title>Portal</title>', 'text/html'],
		['JSON of another kind', '{"status":"ok"}', 'application/json'],
		['nothing', '', 'application/json'],
	])('fails when the response is %s, and says to check the base URL', async (_what, body, type) => {
		service.get('/me').reply(200, body, { 'content-type': type });

		expect(await testCredential({ baseUrl, apiKey })).toEqual({
			status: 'Error',
			message: expect.stringContaining('The Base URL must end with the version'),
		});
	});

	it.each([
		['http://share.example.com/api/v1', /https:\/\//],
		['share.example.com', /Base URL/],
	])('sends nothing to %j', async (entered, message) => {
		const result = await testCredential({ baseUrl: entered, apiKey });

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it('follows no redirect', async () => {
		service.get('/me').reply(302, '', { location: '/login' });

		expect((await testCredential({ baseUrl, apiKey })).status).toBe('Error');
		expect(service.requests).toHaveLength(1);
	});
});

// Which URLs and headers are safe for the key is tested in test/unit.
describe('the API key in the HTTP Request node', () => {
	let plain: ReturnType<typeof createServer>;
	const arrived: Array<string | undefined> = [];
	const getPort = () => (plain.address() as AddressInfo).port;

	beforeAll(async () => {
		plain = createServer((request, response) => {
			arrived.push(request.headers.authorization);
			response.end('{}');
		});
		await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
	});
	beforeEach(() => {
		arrived.length = 0;
	});
	afterAll(() => plain.close());

	it('is sent to the service', async () => {
		service.patch('/containers/c-1/drm').reply(200, { opens: 1 });
		service.contract.skipBodies('the node sends no body here');
		const url = `${baseUrl}/containers/c-1/drm`;

		const { response } = await runHttpRequestNodeStyle({ url, method: 'PATCH' });

		expect(response).toMatchObject({ statusCode: 200, body: { opens: 1 } });
		expect(service.requests[0].headers.authorization).toBe(bearer);
	});

	it('is not sent over plain HTTP, not even to this machine, and neither is the request', async () => {
		const { response, error, log } = await runHttpRequestNodeStyle({
			url: `http://127.0.0.1:${getPort()}/me`,
			credentials: { baseUrl: `https://127.0.0.1:${getPort()}`, apiKey },
		});

		expect(response).toBeUndefined();
		expect(error?.message).toMatch(/API key was not sent/);
		expect(arrived).toEqual([]);
		expect([String(error?.stack), ...log].join('\n')).not.toContain(apiKey);
	});

	it.each([
		['to plain HTTP', () => `http://127.0.0.1:${getPort()}/me`],
		['to another origin', () => 'https://elsewhere.example.com/me'],
		['on the same origin', () => `${baseUrl}/other`],
	])('follows no redirect %s, with any setting of the node', async (_where, getLocation) => {
		service.get('/me').reply(302, '', { location: getLocation() });

		const { response, error } = await runHttpRequestNodeStyle({ url: `${baseUrl}/me` });

		expect(response?.statusCode ?? error?.message).toEqual(expect.anything());
		expect(response?.body).not.toEqual({});
		expect(service.requests).toHaveLength(1);
		expect(arrived).toEqual([]);
	});
});

it('the credential has the fields of saved ones, no default host, and a secret API key', async () => {
	const { loader } = await loadPackage();
	const { type } = loader.getCredential('encryptedContainersApi');

	expect(type).toMatchObject({
		name: 'encryptedContainersApi',
		displayName: 'Encrypted Containers API',
		documentationUrl: expect.stringMatching(/^https:\/\//),
	});
	const notice = expect.stringMatching(/HTTP Request node .* not bound .* "None"/) as unknown;
	expect(type.properties).toMatchObject([
		{ name: 'baseUrl', default: '', placeholder: 'https://share.example.com/api/v1' },
		{ name: 'apiKey', default: '', typeOptions: { password: true } },
		{ name: 'allowUnauthorizedCerts', type: 'boolean', default: false },
		{ name: 'containerUrl', type: 'string', default: '' },
		{ type: 'notice', displayName: notice },
		{ name: 'allowedRecipients', type: 'string', default: '' },
		{ name: 'maxAccessDays', type: 'string', default: '' },
		{ name: 'forbidDownload', type: 'boolean', default: false },
	]);
});

const options = { userId, ...sequential };
const get = { resource: 'container', operation: 'get', containerId: containerId('c-1'), options };
const leak = '={{ $credentials.apiKey }}';
const field = { ...get, containerId: containerId(leak) };

it.each<AgentWay>(['itself', 'engine'])(
	'a tool whose field names $credentials gets no API key: called by %s',
	async (way) => {
		const { results, log } = await runAgent({ parameters: field, calls: [{}], way });

		expect(results[0][0]).toMatch(/Container\\" is empty/);
		expect([...results[0], ...log].join('\n')).not.toContain(apiKey);
	},
);

it('an expression in the credential that fails says that it is there', async () => {
	const credentials = { baseUrl, apiKey: "={{ $('Nobody').item.json.key }}" };
	const { error } = await runNode({ parameters: get, credentials });

	expect(error).toMatchObject({
		description: expect.stringMatching(/Check the credential, and the expressions in it\.$/),
	});
	expect(service.requests).toEqual([]);
});

describe('a service whose certificate this process does not trust, as that of an attacker,', () => {
	const attacker = httpsService(false);
	const credentials = (allowUnauthorizedCerts: boolean) => ({
		baseUrl: attacker.baseUrl,
		apiKey,
		allowUnauthorizedCerts,
	});
	type Send = (given: ReturnType<typeof credentials>) => Promise<{ error?: Error }>;
	const senders: Array<[string, Send]> = [
		['the node', async (given) => await runNode({ parameters: get, credentials: given })],
		[
			'the trigger',
			async (given) => {
				const parameters = { event: 'containerCreated', options };
				return await runPoll({ parameters, credentials: given });
			},
		],
		[
			'a picker',
			async (given) =>
				await runListSearch({
					method: 'searchContainers',
					parameters: { options },
					credentials: given,
				}).then(
					() => ({}),
					(error: Error) => ({ error }),
				),
		],
		[
			'the test of the credential',
			async (given) => {
				const { status, message } = await testCredential(given);
				return status === 'OK' ? {} : { error: new Error(message) };
			},
		],
	];

	beforeEach(() => {
		attacker.respond = (request, response) => {
			response.setHeader('content-type', 'application/json');
			response.end(request.url?.endsWith('/containers') ? '[]' : '{"id":"user-1","uuid":"c-1"}');
		};
	});

	it.each(senders)(
		'gets the API key from %s only if the credential says so',
		async (_who, send) => {
			expect((await send(credentials(false))).error?.message).toMatch(
				/secure connection|CERT|SIGNATURE/,
			);
			expect(attacker.all).toEqual([]);

			expect((await send(credentials(true))).error?.message).toBeUndefined();
			expect(attacker.all[0].headers.authorization).toBe(bearer);
		},
	);

	it.each([
		['ignores SSL issues', () => ({ ignoreSslIssues: true })],
		['has the TLS option "ca"', () => ({ certificates: { ca: attacker.ca } })],
	])('gets it from the HTTP Request node that %s only then, too', async (reason, getMore) => {
		const send = async (allowed: boolean, more: object) =>
			await runHttpRequestNodeStyle({
				url: `${attacker.baseUrl}/me`,
				credentials: credentials(allowed),
				...more,
			});

		const { error, log } = await send(false, getMore());
		expect(error?.message).toBe(`The API key was not sent, because the request ${reason}`);
		expect([String(error?.stack), ...log].join('\n')).not.toContain(apiKey);
		expect((await send(true, {})).error).toBeDefined();
		expect(attacker.all).toEqual([]);

		expect((await send(true, getMore())).response?.statusCode).toBe(200);
		expect(attacker.all[0].headers.authorization).toBe(bearer);
	});
});
