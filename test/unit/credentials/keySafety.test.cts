import type { IHttpRequestOptions } from 'n8n-workflow';
import type { CheckedRequest } from '../../../credentials/keySafety';
import { assertSafeForApiKey } from '../../../credentials/keySafety';
import { failing } from '../../support/texts.cts';
import { EncryptedContainersApi } from '../../../credentials/EncryptedContainersApi.credentials';

const base = 'https://share.example.com/api/v1';

describe('the API key', () => {
	const check = (options: object, allowUnauthorizedCerts = false) =>
		assertSafeForApiKey(options as CheckedRequest, base, allowUnauthorizedCerts);

	it.each([
		...[`${base}/me`, 'https://share.example.com/another/path', 'HTTPS://SHARE.EXAMPLE.COM/me'].map(
			(url) => ({ url }),
		),
		...[{ url: 'https://share.example.com:443/me' }, { uri: `${base}/me` }, { baseURL: base }],
		...[
			{ baseURL: base, url: '/me' },
			{ baseURL: base, url: 'me' },
		],
		{ baseURL: `${base}/`, url: '/me?next=https://evil.example' },
		{ baseURL: 'https://other.example.com', url: `${base}/me` },
	])('is sent to %j', (options) => {
		expect(() => check(options)).not.toThrow();
	});

	it.each([
		...['http://share.example.com/api/v1/me', 'https://share.example.com:8443/me'],
		...['https://share.example.com.evil.example/me', 'https://share.example.com@evil.example/me'],
		...['https://evil.example/?https://share.example.com', 'https:evil.example/me', '/me', ''],
		...['https://evil.example\\@share.example.com/me', '//evil.example/me'],
	])('is not sent to %j', (url) => {
		expect(() => check({ url })).toThrow(/API key was not sent/);
	});

	it.each([
		...[{}, { uri: 'https://evil.example/me' }],
		...['https://evil.example/me', '//evil.example/me', 'h2://evil.example/me'].map((url) => ({
			...{ baseURL: base, url },
		})),
		...[
			{ baseURL: 'https:', url: 'evil.example/me' },
			{ baseURL: 'https:/', url: '/evil.example' },
		],
		{ baseURL: 'https://', url: '/evil.example/me' },
		{ baseURL: 'http://share.example.com', url: '/me' },
		{ baseURL: 'https://evil.example', url: '/me' },
	])('is not sent to what is resolved to another origin: %j', (options) => {
		expect(() => check(options)).toThrow(/API key was not sent/);
	});

	const me = { url: `${base}/me` };

	it.each([
		{},
		{ headers: { Host: 'share.example.com', 'X-Forwarded-Host': 'x' } },
		{ headers: { host: 'SHARE.example.com:443' } },
		{ headers: { 'host ': ['share.example.com'], Host: undefined } },
		{ headers: { ':authority': 'share.example.com', common: { 'X-Original-Host': 'x' } } },
		{ headers: { Accept: '*/*' } },
		{ skipSslCertificateValidation: false, rejectUnauthorized: true, agentOptions: {} },
		{ agentOptions: { cert: 'a', key: 'b', passphrase: 'c', ca: undefined } },
		{ proxy: { host: 'proxy.example', port: 3128 } },
	])('is sent with %j', (options) => {
		expect(() => check({ ...me, ...options })).not.toThrow();
	});

	it.each([
		...['Host', ' host ', '\thost', 'host\u00a0', 'Host:', ':authority', 'Authority'].map(
			(name) => ({
				[name]: 'evil.example',
			}),
		),
		{ hOsT: 'share.example.com.evil.example' },
		...[{ common: { Host: 'evil.example' } }, { get: { 'host ': ['evil.example'] } }],
		...['', [], {}, 'share.example.com:8443'].map((host) => ({ host })),
		{ host: ['share.example.com', 'evil.example'] },
		{ host: ['share.example.com', 'share.example.com'] },
		{ host: 'share.example.com', 'host ': 'evil.example' },
		{ Host: 'share.example.com', host: 'share.example.com' },
		{ Host: 'share.example.com', common: { Host: 'share.example.com' } },
	])('is not sent with the header %j, whatever the credential allows', (headers) => {
		for (const isAllowed of [false, true]) {
			expect(() => check({ ...me, headers }, isAllowed)).toThrow(/header "Host"/);
		}
	});

	it.each([
		[{ skipSslCertificateValidation: true }, 'ignores SSL issues'],
		[{ rejectUnauthorized: false }, 'ignores SSL issues'],
		[{ agentOptions: { ca: 'PEM' } }, 'certificate authority of its own'],
		[{ agentOptions: { pfx: 'PFX' } }, 'TLS option "pfx"'],
		[{ agentOptions: { rejectUnauthorized: false } }, 'TLS option "rejectUnauthorized"'],
		[{ agentOptions: { checkServerIdentity: () => {} } }, 'TLS option "checkServerIdentity"'],
		[{ agentOptions: { servername: 'evil.example' } }, 'TLS option "servername"'],
		[{ agentOptions: { host: 'evil.example' } }, 'TLS option "host"'],
	])('is sent with %j only if the credential allows it', (options, message) => {
		expect(() => check({ ...me, ...options })).toThrow(message);
		expect(() => check({ ...me, ...options }, true)).not.toThrow();
	});

	it.each([
		failing({ url: '/me' })`
			The URL of the request is not valid, so the API key was not sent
			This credential sends its API key only over HTTPS to the origin of its Base URL, https://share.example.com. Use a URL with this origin, or another credential.`,
		failing({ url: 'http://a.example/me' })`
			The API key was not sent to http://a.example
			This credential sends its API key only over HTTPS to the origin of its Base URL, https://share.example.com. Use a URL with this origin, or another credential.`,
		failing({ ...me, headers: { Host: 'a.example' } })`
			The API key was not sent, because the request has the header "Host"
			Other services on the same server could receive the key. Remove the header "Host", or set it to share.example.com, once.`,
		failing({ ...me, rejectUnauthorized: false })`
			The API key was not sent, because the request ignores SSL issues
			Someone else could receive the key. Remove this option. If the service uses a private certificate authority, start n8n with NODE_EXTRA_CA_CERTS. Only for tests, turn on "Ignore SSL Issues (Insecure)" in the credential.`,
	])('$message', ({ what, message, description }) => {
		expect(() => check(what)).toThrow(expect.objectContaining({ message, description }));
	});
});

const baseUrl = 'https://share.example.com/api/v1';

const authenticate = async (options: object, credentials: object = {}) => {
	const { authenticate: run } = new EncryptedContainersApi();
	if (typeof run !== 'function') throw new Error('It is declarative');
	return await run({ baseUrl, apiKey: ' key ', ...credentials }, options as IHttpRequestOptions);
};

describe('a request with the credential', () => {
	it('has the key, keeps the rest, and follows no redirect', async () => {
		const given = { url: `${baseUrl}/me`, headers: { Accept: '*/*' }, timeout: 7 };

		expect(await authenticate(given)).toEqual({
			url: `${baseUrl}/me`,
			headers: { Accept: '*/*', Authorization: 'Bearer key' },
			timeout: 7,
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
			sendCredentialsOnCrossOriginRedirect: false,
		});
		expect(given.headers).toEqual({ Accept: '*/*' });
	});

	it.each([baseUrl, ` ${baseUrl}`, `${baseUrl}/`, `${baseUrl} // `])(
		'has its base URL without spaces and slashes at its ends: %j',
		async (baseURL) => {
			expect(await authenticate({ baseURL, url: '/me' })).toMatchObject({ baseURL: baseUrl });
		},
	);

	it.each([
		[true, true],
		['true', false],
		[undefined, false],
	])('can ignore SSL issues if the credential says %j: %s', async (allowed, isAllowed) => {
		const sent = authenticate(
			{ url: `${baseUrl}/me`, skipSslCertificateValidation: true },
			{ allowUnauthorizedCerts: allowed },
		);

		await (isAllowed ? expect(sent).resolves.toBeDefined() : expect(sent).rejects.toThrow('SSL'));
	});
});

it('the test of the credential ignores SSL issues as the credential says', () => {
	expect(new EncryptedContainersApi().test.request).toEqual({
		baseURL: '={{ $credentials.baseUrl }}',
		url: '/me',
		skipSslCertificateValidation: '={{ $credentials.allowUnauthorizedCerts }}',
	});
});
