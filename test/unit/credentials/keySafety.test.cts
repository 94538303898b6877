import type { CheckedRequest } from '../../../credentials/keySafety';
import { assertSafeForApiKey } from '../../../credentials/keySafety';

const base = 'https://share.example.com/api/v1';

describe('the API key', () => {
	const check = (options: object, allowUnauthorizedCerts = false) =>
		assertSafeForApiKey(options as CheckedRequest, base, allowUnauthorizedCerts);

	it.each([
		[{ url: `${base}/me` }],
		[{ uri: `${base}/me` }],
		[{ url: 'https://share.example.com/another/path' }],
		[{ url: 'HTTPS://SHARE.EXAMPLE.COM/me' }],
		[{ url: 'https://share.example.com:443/me' }],
		[{ baseURL: base, url: '/me' }],
		[{ baseURL: base, url: 'me' }],
		[{ baseURL: 'https://other.example.com', url: `${base}/me` }],
	])('is sent to %j', (options) => {
		expect(() => check(options)).not.toThrow();
	});

	it.each([
		[{ url: 'http://share.example.com/api/v1/me' }],
		[{ url: 'https://share.example.com:8443/me' }],
		[{ url: 'https://share.example.com.evil.example/me' }],
		[{ url: 'https://evil.example/?https://share.example.com' }],
		[{ url: 'https://share.example.com@evil.example/me' }],
		[{ url: 'https://evil.example\\@share.example.com/me' }],
		[{ url: 'https:evil.example/me' }],
		[{ url: '//evil.example/me' }],
		[{ url: '/me' }],
		[{ url: '' }],
		[{}],
		[{ uri: 'https://evil.example/me' }],
		[{ baseURL: base, url: 'https://evil.example/me' }],
		[{ baseURL: base, url: '//evil.example/me' }],
		[{ baseURL: 'http://share.example.com', url: '/me' }],
		[{ baseURL: 'https://evil.example', url: '/me' }],
	])('is not sent to %j', (options) => {
		expect(() => check(options)).toThrow(/API key was not sent/);
	});

	const me = { url: `${base}/me` };

	it.each([
		{},
		{ headers: { Host: 'share.example.com', 'X-Forwarded-Host': 'x' } },
		{ headers: { host: 'SHARE.example.com:443' } },
		{ skipSslCertificateValidation: false, rejectUnauthorized: true, agentOptions: {} },
		{ agentOptions: { cert: 'a', key: 'b', passphrase: 'c', ca: undefined } },
		{ proxy: { host: 'proxy.example', port: 3128 } },
	])('is sent with %j', (options) => {
		expect(() => check({ ...me, ...options })).not.toThrow();
	});

	it.each([
		{ Host: 'evil.example' },
		{ hOsT: 'share.example.com.evil.example' },
		{ ' host ': 'evil.example' },
		{ host: '' },
		{ host: ['share.example.com', 'evil.example'] },
		{ host: 'share.example.com:8443' },
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
});
