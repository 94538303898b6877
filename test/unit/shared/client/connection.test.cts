import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { normalizeBaseUrl } from '../../../../nodes/shared/client/baseUrl';
import { getConnection } from '../../../../nodes/shared/client/connection';
import { parseUserId } from '../../../../nodes/shared/client/userId';

const base = 'https://share.example.com/api/v1';
const ofLength = (length: number) => `https://x.example/${'a'.repeat(length - 18)}`;

describe('the base URL', () => {
	it.each([
		[`${base}/`, base],
		[`  ${base}/// \n/ `, base],
		['HTTPS://x.example/api/v1', 'https://x.example/api/v1'],
		...[base, 'https://share.example.com/@tenant/api/v1', 'https://[::1]:8443/api/2026-01-01'].map(
			(url) => [url, url],
		),
		...['https://x.example/HTTPS:@/api/v1', ofLength(2000)].map((url) => [url, url]),
	])('%j is %j', (entered, url) => {
		expect(normalizeBaseUrl(entered)).toBe(url);
	});

	it.each<[string, RegExp, ...unknown[]]>([
		[
			'is empty',
			/enter the URL of the API with its version, for example https:\/\/share\.example\.com/,
			...['', '   ', '/', undefined, 42],
		],
		[
			'is not a valid URL',
			/./,
			...['share.example.com/api/v1', 'https://', 'https://exa mple.com', 'javascript:alert(1)'],
			...['https://share.example.com\\api\\v1', 'https://share.exa\nmple.com/api/v1'],
		],
		['is longer than 2000 characters', /./, ofLength(2001)],
		[
			'does not start with https://',
			/only over HTTPS\. .* a Base URL that starts with https/,
			...['http://share.example.com/api/v1', 'ftp://share.example.com'],
		],
		[
			'contains a user name, a query or a fragment',
			/^Remove the user name .* look like https:\/\/share\.example\.com\/api/,
			...['user:secret@', 'user@', '@', ':@'].map((user) => `https://${user}x.example/v1`),
			...['?key=1', '?', '#', '#top'].map((rest) => `${base}${rest}`),
			'https:@x.example/v1',
		],
	])('is an error if it %s', (message, advice, ...refused) => {
		for (const entered of refused) {
			const normalize = () => normalizeBaseUrl(entered);
			expect(normalize).toThrow(`The Base URL in the credential ${message}`);
			expect(normalize).toThrow(
				expect.objectContaining({ description: expect.stringMatching(advice) }),
			);
		}
	});
});

describe('a connection', () => {
	const connect = async (data: object) =>
		await getConnection({
			async getCredentials(type) {
				expect(type).toBe('encryptedContainersApi');
				return await Promise.resolve(data as ICredentialDataDecryptedObject);
			},
		});

	it('is that of the credential, which n8n gets back with each request', async () => {
		const data = { baseUrl: ` ${base}/ `, apiKey: ' key\n', allowUnauthorizedCerts: true };
		expect(await connect(data)).toEqual({
			...{ baseUrl: base, apiKey: 'key', allowUnauthorizedCerts: true },
			credential: { id: '', name: '', type: 'encryptedContainersApi', data },
		});
		await expect(connect({ baseUrl: 'http://x.example', apiKey: 'key' })).rejects.toThrow(
			'does not start with https://',
		);
	});

	it.each([undefined, false, 'true', 1])('checks certificates with %j', async (value) => {
		const data = { baseUrl: base, apiKey: 'key', allowUnauthorizedCerts: value };
		expect((await connect(data)).allowUnauthorizedCerts).toBe(false);
	});
});

describe('the user to act for', () => {
	const EXPRESSION = { userId: '={{ $json.user }}' };

	it.each<[object, unknown, string | undefined]>([
		[{ userId: ' u-1 ' }, { userId: ' u-1 ' }, 'u-1'],
		[{ userId: 'u-1' }, EXPRESSION, 'u-1'],
		[{ userId: ' ' }, { userId: ' ' }, undefined],
		[{ userId: '' }, undefined, undefined],
		[{}, {}, undefined],
	])('is, with %j from %j: %j', (options, raw, user) => {
		expect(parseUserId(options as never, raw)).toBe(user);
	});

	it.each<[unknown, string]>([
		...['', ' ', null, undefined].map((value): [unknown, string] => [value, 'is empty']),
		[true, 'is not text'],
	])('is an error where an expression returns %j', (userId, message) => {
		expect(() => parseUserId({ userId } as never, EXPRESSION)).toThrow(`"User ID" ${message}`);
	});
});
