import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { EncryptedContainersApi } from '../../../credentials/EncryptedContainersApi.credentials';
import {
	getConnection,
	parseContainerUrl,
	normalizeBaseUrl,
} from '../../../nodes/shared/client/connection';

const base = 'https://share.example.com/api/v1';

it.each([
	[`  ${base}/// \n/ `, base],
	['HTTPS://x.example/api/v1', 'https://x.example/api/v1'],
	...[
		...[base, 'https://share.example.com/@tenant/api/v1', 'https://[::1]:8443/api/2026-01-01'],
		'https://x.example/HTTPS:@/api/v1',
	].map((url) => [url, url]),
])('the base URL %j is %j', (entered, url) => {
	expect(normalizeBaseUrl(entered)).toBe(url);
});

it.each<[string, ...unknown[]]>([
	['is empty', '   ', '/', undefined, 42],
	[
		'is not a valid URL',
		...['share.example.com/api/v1', 'https://', 'https://exa mple.com', 'javascript:alert(1)'],
		...['https://share.example.com\\api\\v1', 'https://share.exa\nmple.com/api/v1'],
		...['user:secret@', 'user@', '@', ':@'].map((user) => `https://${user}x.example/v1`),
		...['?key=1', '?', '#', '#top'].map((rest) => `${base}${rest}`),
		'https:@x.example/v1',
	],
	['does not start with https://', 'http://share.example.com/api/v1', 'ftp://share.example.com'],
])('the base URL is an error if it %s', (message, ...refused) => {
	for (const entered of refused) {
		expect(() => normalizeBaseUrl(entered)).toThrow(`The Base URL in the credential ${message}`);
	}
});

const connect = async (data: object) =>
	await getConnection({
		getCredentials: async () => await Promise.resolve(data as ICredentialDataDecryptedObject),
	});

it('a connection is that of the credential, which n8n gets back with each request', async () => {
	const data = { baseUrl: ` ${base}/ `, apiKey: ' bearer key\n', allowUnauthorizedCerts: true };
	expect(await connect(data)).toEqual({
		...{ baseUrl: base, apiKey: 'key', key: `["${base}","key"]`, allowUnauthorizedCerts: true },
		containerUrl: '',
		credential: { id: '', name: '', type: 'encryptedContainersApi', data },
	});
	const unset = await connect({ ...data, allowUnauthorizedCerts: undefined });
	expect(unset.allowUnauthorizedCerts).toBe(false);
});

it.each([undefined, ' '])('a connection is none with the API key %j', async (apiKey) => {
	await expect(connect({ baseUrl: base, apiKey })).rejects.toThrow('The API Key in the');
});

it('the link to a container is optional, and without spaces around it', () => {
	const link = 'https://share.example.com/c/{containerId}';
	expect([` ${link} `, ' ', undefined].map(parseContainerUrl)).toEqual([link, '', '']);
});

it.each(['https://x.example/c/', 'http://x.example/{containerId}', 'c/{containerId}'])(
	'the link to a container is an error where it is none: %s',
	(link) => {
		expect(() => parseContainerUrl(link)).toThrow('"Link to a Container" in the credential');
	},
);

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
	for (const allowUnauthorizedCerts of [undefined, false, 'false']) {
		const request = authenticate({ ...me, ...options }, { allowUnauthorizedCerts });
		await expect(request).rejects.toThrow(message);
	}
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

it('a base URL of the request has no spaces and slashes at its ends', async () => {
	const request = authenticate({ baseURL: ` ${base} // `, url: '/me' });
	expect(await request).toMatchObject({ baseURL: base });
});
