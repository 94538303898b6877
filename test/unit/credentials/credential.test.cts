import type { IHttpRequestOptions } from 'n8n-workflow';
import { EncryptedContainersApi } from '../../../credentials/EncryptedContainersApi.credentials';

const base = 'https://share.example.com/api/v1';

const authenticate = async (options: object, credentials: object = {}) => {
	const { authenticate: run } = new EncryptedContainersApi();
	if (typeof run !== 'function') throw new Error('It is declarative');
	return await run(
		{ baseUrl: base, apiKey: ' key ', ...credentials },
		options as IHttpRequestOptions,
	);
};

describe('the API key', () => {
	const check = async (options: object, allowUnauthorizedCerts = false) =>
		await authenticate(options, { allowUnauthorizedCerts });

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
	])('is sent to %j', async (options) => {
		await expect(check(options)).resolves.toBeDefined();
	});

	it.each([
		...['http://share.example.com/api/v1/me', 'https://share.example.com:8443/me'],
		...['https://share.example.com.evil.example/me', 'https://share.example.com@evil.example/me'],
		...['https://evil.example/?https://share.example.com', 'https:evil.example/me', '/me', ''],
		...['https://evil.example\\@share.example.com/me', '//evil.example/me'],
	])('is not sent to %j', async (url) => {
		await expect(check({ url })).rejects.toThrow(/API key was not sent/);
	});

	it.each([
		...[{}, { uri: 'https://evil.example/me' }],
		{ url: `${base}/me`, uri: 'https://evil.example/me' },
		{ url: 'https://evil.example/me', uri: `${base}/me` },
		...['https://evil.example/me', '//evil.example/me', 'h2+x://evil.example/me'].map((url) => ({
			...{ baseURL: base, url },
		})),
		...[
			{ baseURL: 'https:', url: 'evil.example/me' },
			{ baseURL: 'https:/', url: '/evil.example' },
		],
		{ baseURL: 'https://', url: '/evil.example/me' },
		{ baseURL: 'http://share.example.com', url: '/me' },
		{ baseURL: 'https://evil.example', url: '/me' },
	])('is not sent to what is resolved to another origin: %j', async (options) => {
		await expect(check(options)).rejects.toThrow(/API key was not sent/);
	});

	const me = { url: `${base}/me` };

	it.each([
		{},
		{ headers: { Accept: '*/*' } },
		{ skipSslCertificateValidation: false, rejectUnauthorized: true, agentOptions: {} },
		{ agentOptions: { cert: 'a', key: 'b', passphrase: 'c', ca: undefined } },
		{ proxy: { host: 'proxy.example', port: 3128 } },
	])('is sent with %j', async (options) => {
		await expect(check({ ...me, ...options })).resolves.toBeDefined();
	});

	it.each([
		[{ skipSslCertificateValidation: true }, 'ignores SSL issues'],
		[{ rejectUnauthorized: false }, 'ignores SSL issues'],
		[{ agentOptions: { ca: 'PEM' } }, 'TLS option "ca"'],
		[{ agentOptions: { pfx: 'PFX' } }, 'TLS option "pfx"'],
		[{ agentOptions: { rejectUnauthorized: false } }, 'TLS option "rejectUnauthorized"'],
		[{ agentOptions: { checkServerIdentity: () => {} } }, 'TLS option "checkServerIdentity"'],
		[{ agentOptions: { servername: 'evil.example' } }, 'TLS option "servername"'],
		[{ agentOptions: { host: 'evil.example' } }, 'TLS option "host"'],
	])('is sent with %j only if the credential allows it', async (options, message) => {
		await expect(check({ ...me, ...options })).rejects.toThrow(message);
		await expect(check({ ...me, ...options }, true)).resolves.toBeDefined();
	});
});

describe('a request with the credential', () => {
	it('has the key, keeps the rest, and follows no redirect', async () => {
		const given = { url: `${base}/me`, headers: { Accept: '*/*' }, timeout: 7 };

		expect(await authenticate(given)).toEqual({
			url: `${base}/me`,
			headers: { Accept: '*/*', Authorization: 'Bearer key' },
			timeout: 7,
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
			sendCredentialsOnCrossOriginRedirect: false,
		});
		expect(given.headers).toEqual({ Accept: '*/*' });
	});

	it.each([base, ` ${base}`, `${base}/`, `${base} // `])(
		'has its base URL without spaces and slashes at its ends: %j',
		async (baseURL) => {
			expect(await authenticate({ baseURL, url: '/me' })).toMatchObject({ baseURL: base });
		},
	);
});
