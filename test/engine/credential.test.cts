import {
	defaultCredentials,
	runHttpRequestNodeStyle,
	runListSearch,
	runNode,
	runPoll,
	testCredential,
} from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { startTestService, useService, type TestService } from '../support/service.cts';
import { byId, expectRefusal } from './support/operations.cts';

const service = useService();

describe('the credential test', () => {
	it.each(['', ' '])(
		'finds the user of the API key, with %j around what is entered',
		async (space) => {
			const { baseUrl, apiKey } = service;
			const entered = {
				baseUrl: `${space}${baseUrl}/${space}`,
				apiKey: `bearer ${apiKey}${space}`,
			};

			expect(await testCredential(entered)).toMatchObject({ status: 'OK' });
			expect(service.requests.map(({ path }) => path)).toEqual(['/api/v1/me']);
		},
	);

	it.each<[string, string, number, string, RegExp]>([
		[
			'a wrong key',
			'application/json',
			401,
			'{}',
			/did not accept this API key.*keys create.*> API Keys/,
		],
		['a forbidden key', 'application/json', 403, '{}', /no permission to read its own user/],
		[
			'another path',
			'application/json',
			404,
			'{}',
			/^The Base URL must end with the version.*nothing at this one/,
		],
		[
			'an HTML page',
			'text/html',
			200,
			'<title>P</title>',
			/^The Base URL must end with the version/,
		],
		['other JSON', 'application/json', 200, '{"ok":1}', /Base URL must end with the version/],
		['a redirect', 'text/html', 302, '', /./],
	])('says what is wrong: %s', async (_what, type, status, body, message) => {
		const headers = { 'content-type': type, ...(status === 302 ? { location: '/login' } : {}) };
		service.on({ times: Infinity }, async () => ({ status, body, headers }));

		const result = await testCredential(service.credentials);

		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) as string });
		expect(service.requests.every(({ path }) => path === '/api/v1/me')).toBe(true);
	});

	it('sends nothing without HTTPS', async () => {
		const baseUrl = service.baseUrl.replace('https', 'http');

		expect(await testCredential({ ...service.credentials, baseUrl })).toEqual({
			...{ status: 'Error', message: expect.stringContaining('https://') as string },
		});
		expect(service.requests).toEqual([]);
	});
});

// Which URLs and headers are safe for the key is tested in test/unit.
describe('the API key in the HTTP Request node', () => {
	it('is sent to the service', async () => {
		const { credentials, baseUrl } = service;
		const { response } = await runHttpRequestNodeStyle({ url: `${baseUrl}/me`, credentials });

		expect(response).toMatchObject({ statusCode: 200, body: { id: service.userId } });
	});

	it('is not sent over plain HTTP, and neither is the request', async () => {
		const { credentials } = service;
		const url = service.baseUrl.replace('https', 'http');
		const { response, error, log } = await runHttpRequestNodeStyle({ url, credentials });

		expect(response).toBeUndefined();
		expect(error?.message).toMatch(/API key was not sent/);
		expect(service.requests).toEqual([]);
		expect([String(error?.stack), ...log].join('\n')).not.toContain(credentials.apiKey);
	});

	it('follows no redirect, with any setting of the node', async () => {
		const { credentials, baseUrl } = service;
		const location = 'https://elsewhere.example.com/me';
		service.on({}, async () => ({ status: 302, headers: { location } }));

		await runHttpRequestNodeStyle({ url: `${baseUrl}/me`, credentials });

		expect(service.requests).toHaveLength(1);
	});
});

describe('an expression', () => {
	const mocked = mockService();
	const get = { resource: 'container', operation: 'get' };

	it('in a field that names $credentials gets no API key', async () => {
		const parameters = { ...get, ...byId('={{ $credentials.apiKey }}') };
		const { apiKey } = defaultCredentials;

		const result = await runNode({ parameters });

		expect([JSON.stringify(result.error), ...result.log].join('\n')).not.toContain(apiKey);
		await expectRefusal(mocked, runNode({ parameters }), /"Container" is empty/);
	});

	it('in the credential that fails says that it is there', async () => {
		const credentials = { apiKey: "={{ $('Nobody').item.json.key }}" };
		const running = runNode({ parameters: { ...get, ...byId('c-1') }, credentials });
		const advice = /Check the credential, and the expressions in it\.$/;

		expect((await running).error?.description).toMatch(advice);
		expect(mocked.requests).toEqual([]);
	});
});

describe('a service whose certificate this process does not trust, as that of an attacker,', () => {
	let attacker: TestService;
	beforeAll(async () => {
		attacker = await startTestService();
	});
	beforeEach(async () => await attacker.clear());
	afterAll(async () => await attacker.stop());

	const options = () => ({ userId: attacker.userId, maxRetries: 0 });
	const credentialsOf = (allowUnauthorizedCerts: boolean) => ({
		...{ ...attacker.credentials, allowUnauthorizedCerts },
	});
	type Send = (credentials: ReturnType<typeof credentialsOf>) => Promise<{ error?: Error }>;
	const senders: Array<[string, Send]> = [
		[
			'the node',
			async (credentials) => {
				const parameters = { resource: 'container', operation: 'getAll', options: options() };
				return await runNode({ parameters, credentials });
			},
		],
		[
			'the trigger',
			async (credentials) => {
				const parameters = { event: 'containerCreated', options: options() };
				return await runPoll({ parameters, credentials });
			},
		],
		[
			'a picker',
			async (credentials) => {
				const parameters = { options: options() };
				const search = { method: 'searchContainers', parameters, credentials };
				return await runListSearch(search).then(
					() => ({}),
					(error: Error) => ({ error }),
				);
			},
		],
		[
			'the test of the credential',
			async (credentials) => {
				const { status, message } = await testCredential(credentials);
				return status === 'OK' ? {} : { error: new Error(message) };
			},
		],
	];

	it.each(senders)('gets the API key from %s only if the credential allows it', async (...row) => {
		const [, send] = row;
		const { error } = await send(credentialsOf(false));
		expect(error?.message).toMatch(/secure connection|CERT|SIGNATURE/);
		expect(attacker.requests).toEqual([]);

		expect((await send(credentialsOf(true))).error?.message).toBeUndefined();
		expect(attacker.requests[0].headers.authorization).toBe(`Bearer ${attacker.apiKey}`);
	});
});
