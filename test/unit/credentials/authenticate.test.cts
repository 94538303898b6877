import type { IHttpRequestOptions } from 'n8n-workflow';
import { EncryptedContainersApi } from '../../../credentials/EncryptedContainersApi.credentials';

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
