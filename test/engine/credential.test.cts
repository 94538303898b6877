import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import nock from 'nock';
import {
	defaultCredentials,
	runHttpRequestNodeStyle,
	runNode,
	storedRecord,
	testCredential,
} from '../support/engine.cts';
import { loadPackage } from '../support/package.cts';
import { mockService } from '../support/nock.cts';

const service = mockService();
const { baseUrl, apiKey } = defaultCredentials;
const user = { id: 'user-1', email: 'ada@example.com' };
const bearer = `Bearer ${apiKey}`;

/** URLs that a user can enter for the same service. */
const sameAddresses = [baseUrl, ` ${baseUrl}/ \t`];

describe('the credential test', () => {
	it.each(sameAddresses)('fetches the user of the API key at %j', async (entered) => {
		service.get('/me').reply(200, user);

		expect(await testCredential({ baseUrl: entered, apiKey })).toMatchObject({ status: 'OK' });
		expect(service.requests).toEqual([
			expect.objectContaining({
				method: 'GET',
				path: '/api/v1/me',
				headers: expect.objectContaining({ authorization: bearer }),
			}),
		]);
	});

	it('ignores spaces around the API key', async () => {
		service.get('/me').reply(200, user);

		await testCredential({ baseUrl, apiKey: ` ${apiKey}\n` });

		expect(service.requests[0].headers.authorization).toBe(bearer);
	});

	it.each([
		[401, /did not accept this API key.*Configuration > API Keys/],
		[403, /no permission to read its own user/],
		[404, /Nothing found here.*Base URL/],
		[500, /500|Internal|error/i],
	])('fails with a clear message after status %i', async (status, message) => {
		// n8n sends a second request after 401.
		service
			.get('/me')
			.times(status === 401 ? 2 : 1)
			.reply(status, { message: 'Refused' });

		const result = await testCredential({ baseUrl, apiKey });

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
		expect(result.message).not.toContain(apiKey);
	});

	it.each([
		['an HTML page', '<!doctype html><title>Portal</title>', 'text/html'],
		['plain text', 'Welcome', 'text/plain'],
		['JSON of another kind', '{"status":"ok"}', 'application/json'],
		['a list', '[]', 'application/json'],
		['nothing', '', 'application/json'],
	])(
		'fails when the response is %s with status 200, and says to check the base URL',
		async (_what, body, type) => {
			service.get('/me').reply(200, body, { 'content-type': type });

			expect(await testCredential({ baseUrl, apiKey })).toEqual({
				status: 'Error',
				message: expect.stringContaining('The Base URL must end with the version'),
			});
		},
	);

	it.each([
		['http://share.example.com/api/v1', /https:\/\//],
		['share.example.com', /Base URL/],
	])('sends nothing to %j', async (entered, message) => {
		const result = await testCredential({ baseUrl: entered, apiKey });

		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});

	it.each(['https://elsewhere.example.com/me', 'http://share.example.com/me', '/login'])(
		'follows no redirect to %s',
		async (location) => {
			service.get('/me').reply(302, '', { location });

			const result = await testCredential({ baseUrl, apiKey });

			expect(result.status).toBe('Error');
			expect(service.requests).toHaveLength(1);
		},
	);
});

describe("the credential's base URL in the node", () => {
	const getMe = { resource: 'user', operation: 'getMe', options: { maxRetries: 0 } };

	it.each(sameAddresses)('can be %j', async (entered) => {
		service.get('/me').reply(200, user);

		const { items } = await runNode({ parameters: getMe, credentials: { baseUrl: entered } });

		expect(items[0].json).toEqual(user);
	});

	it.each([
		['http://share.example.com/api/v1', /does not start with https:\/\//],
		['', /is empty/],
	])('of %j is rejected before anything is sent', async (entered, message) => {
		const { error } = await runNode({ parameters: getMe, credentials: { baseUrl: entered } });

		expect(error?.message).toMatch(message);
		expect(service.requests).toEqual([]);
	});
});

describe('the API key in the HTTP Request node', () => {
	let plain: ReturnType<typeof createServer>;
	const arrived: Array<string | undefined> = [];

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

	it.each([
		['GET', `${baseUrl}/me`, '/api/v1/me'],
		['GET', 'https://share.example.com/another/path?a=b', '/another/path?a=b'],
		['PATCH', `${baseUrl}/containers/c-1/drm`, '/api/v1/containers/c-1/drm'],
	] as const)('is sent with %s %s', async (method, url, path) => {
		nock('https://share.example.com', { reqheaders: { authorization: bearer } })
			.intercept(path, method)
			.reply(200, { done: true });

		const { response, error } = await runHttpRequestNodeStyle({ url, method });

		expect(error).toBeUndefined();
		expect(response).toMatchObject({ statusCode: 200, body: { done: true } });
	});

	it.each([
		'http://share.example.com/api/v1/me',
		'https://share.example.com@elsewhere.example/me',
		'not a url',
	])('is not sent to %s, and neither is the request', async (url) => {
		const { response, error, log } = await runHttpRequestNodeStyle({ url });

		expect(response).toBeUndefined();
		expect(error?.message).toMatch(/API key was not sent/);
		expect(service.requests).toEqual([]);
		expect([String(error?.stack), ...log].join('\n')).not.toContain(apiKey);
	});

	it('is not sent over plain HTTP, not even to this machine', async () => {
		const { port } = plain.address() as AddressInfo;

		const { error } = await runHttpRequestNodeStyle({
			url: `http://127.0.0.1:${port}/me`,
			credentials: { baseUrl: `https://127.0.0.1:${port}`, apiKey },
		});

		expect(error?.message).toMatch(/API key was not sent/);
		expect(arrived).toEqual([]);
	});

	it.each([
		['to plain HTTP', (port: number) => `http://127.0.0.1:${port}/me`],
		['to another origin', () => 'https://elsewhere.example.com/me'],
		['on the same origin', () => `${baseUrl}/other`],
	])('follows no redirect %s, with any setting of the node', async (_where, location) => {
		const { port } = plain.address() as AddressInfo;
		service.get('/me').reply(302, '', { location: location(port) });

		const { response, error } = await runHttpRequestNodeStyle({
			url: `${baseUrl}/me`,
			followRedirects: true,
			sendCredentialsOnCrossOriginRedirect: true,
		});

		expect(response?.statusCode ?? error?.message).toEqual(expect.anything());
		expect(response?.body).not.toEqual({});
		expect(service.requests).toHaveLength(1);
		expect(arrived).toEqual([]);
	});
});

describe('the credential', () => {
	it('has the fields that saved credentials contain, no default host, and a secret API key', async () => {
		const { loader } = await loadPackage();
		const { type } = loader.getCredential('encryptedContainersApi');

		expect(type).toMatchObject({
			name: 'encryptedContainersApi',
			displayName: 'Encrypted Containers API',
			documentationUrl: expect.stringMatching(/^https:\/\//),
		});
		expect(type.properties).toEqual([
			expect.objectContaining({
				name: 'baseUrl',
				default: '',
				placeholder: 'https://share.example.com/api/v1',
			}),
			expect.objectContaining({ name: 'apiKey', default: '', typeOptions: { password: true } }),
			expect.objectContaining({ name: 'allowUnauthorizedCerts', type: 'boolean', default: false }),
			expect.objectContaining({
				type: 'notice',
				displayName: expect.stringMatching(/HTTP Request node .* not bound .* "None"/),
			}),
			expect.objectContaining({ name: 'allowedRecipients', type: 'string', default: '' }),
			expect.objectContaining({ name: 'maxAccessDays', type: 'string', default: '' }),
			expect.objectContaining({ name: 'forbidDownload', type: 'boolean', default: false }),
		]);
	});

	it('keeps the API key out of records and logs when the service returns it everywhere', async () => {
		service.get('/me').reply(400, {
			message: `Bad ${bearer}`,
			[apiKey]: apiKey,
			encoded: encodeURIComponent(apiKey),
		});

		const { execution, log, error } = await runNode({
			parameters: { resource: 'user', operation: 'getMe', options: { maxRetries: 0 } },
		});

		expect(error?.message).toContain('Bad Bearer [hidden]');
		expect([storedRecord(execution), ...log].join('\n')).not.toContain(apiKey);
	});
});
