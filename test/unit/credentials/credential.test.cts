import type { IHttpRequestOptions } from 'n8n-workflow';
import { EncryptedContainersApi } from '../../../credentials/EncryptedContainersApi.credentials';

const base = 'https://share.example.com/api/v1';
const me = { url: `${base}/me` };

const authenticate = async (options: object, credentials: object = {}) => {
	const { authenticate: run } = new EncryptedContainersApi();
	if (typeof run !== 'function') throw new Error('It is declarative');
	return await run(
		{ baseUrl: base, apiKey: ' key ', ...credentials },
		options as IHttpRequestOptions,
	);
};

it.each([
	...[me, { url: 'https://share.example.com/another/path' }, { url: 'HTTPS://SHARE.EXAMPLE.COM' }],
	...[{ url: 'https://share.example.com:443/me' }, { uri: `${base}/me` }, { baseURL: base }],
	...['/me', 'me'].map((url) => ({ baseURL: base, url })),
	{ baseURL: `${base}/`, url: '/me?next=https://evil.example' },
	{ baseURL: 'https://other.example.com', url: `${base}/me` },
	{ ...me, headers: { Accept: '*/*' } },
	{ ...me, skipSslCertificateValidation: false, rejectUnauthorized: true, agentOptions: {} },
	{ ...me, agentOptions: { cert: 'a', key: 'b', passphrase: 'c', ca: undefined } },
	{ ...me, proxy: { host: 'proxy.example', port: 3128 } },
])('the API key is sent with %j', async (options) => {
	await expect(authenticate(options)).resolves.toBeDefined();
});

it.each<object>([
	...[
		...['http://share.example.com/api/v1/me', 'https://share.example.com:8443/me', '/me', ''],
		...['https://share.example.com.evil.example/me', 'https://share.example.com@evil.example/me'],
		...['https://evil.example/?https://share.example.com', 'https:evil.example/me'],
		...['https://evil.example\\@share.example.com/me', '//evil.example/me'],
	].map((url) => ({ url })),
	...['https://evil.example/me', '//evil.example/me', 'h2+x://evil.example/me'].map((url) => ({
		...{ baseURL: base, url },
	})),
	...[{}, { uri: 'https://evil.example/me' }],
	{ url: `${base}/me`, uri: 'https://evil.example/me' },
	{ url: 'https://evil.example/me', uri: `${base}/me` },
	{ baseURL: 'https:', url: 'evil.example/me' },
	...['https:/', 'https://'].map((baseURL) => ({ baseURL, url: '/evil.example/me' })),
	...['http://share.example.com', 'https://evil.example'].map((baseURL) => ({
		...{ baseURL, url: '/me' },
	})),
])('the API key is not sent to %j', async (options) => {
	await expect(authenticate(options)).rejects.toThrow(/API key was not sent/);
});

it.each([
	[{ skipSslCertificateValidation: true }, 'ignores SSL issues'],
	[{ rejectUnauthorized: false }, 'ignores SSL issues'],
	...['ca', 'pfx', 'rejectUnauthorized', 'checkServerIdentity', 'servername', 'host'].map(
		(name): [object, string] => [{ agentOptions: { [name]: false } }, `TLS option "${name}"`],
	),
])('the API key is sent with %j only if the credential allows it', async (options, message) => {
	await expect(authenticate({ ...me, ...options })).rejects.toThrow(message);
	const isSent = authenticate({ ...me, ...options }, { allowUnauthorizedCerts: true });
	await expect(isSent).resolves.toBeDefined();
});

it('a request with the credential has the key, keeps the rest, and follows no redirect', async () => {
	const given = { ...me, headers: { Accept: '*/*' }, timeout: 7 };

	expect(await authenticate(given)).toEqual({
		...given,
		headers: { Accept: '*/*', Authorization: 'Bearer key' },
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
		sendCredentialsOnCrossOriginRedirect: false,
	});
	expect(given.headers).toEqual({ Accept: '*/*' });
});

it.each([base, ` ${base}`, `${base}/`, `${base} // `])(
	'a base URL has no spaces and slashes at its ends: %j',
	async (baseURL) => {
		expect(await authenticate({ baseURL, url: '/me' })).toMatchObject({ baseURL: base });
	},
);
