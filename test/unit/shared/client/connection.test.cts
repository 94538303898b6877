import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import {
	getConnection,
	getContainerUrl,
	normalizeBaseUrl,
	type Connection,
} from '../../../../nodes/shared/client/connection';
import { errorOf, setUpClient, type Reply } from '../../support/client.cts';

const base = 'https://share.example.com/api/v1';

it.each([
	[`${base}/`, base],
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
	['is empty', '', '   ', '/', undefined, 42],
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

describe('a connection', () => {
	const connect = async (data: object) =>
		await getConnection({
			getCredentials: async () => await Promise.resolve(data as ICredentialDataDecryptedObject),
		});

	it('is that of the credential, which n8n gets back with each request', async () => {
		const data = { baseUrl: ` ${base}/ `, apiKey: ' bearer key\n', allowUnauthorizedCerts: true };
		expect(await connect(data)).toEqual({
			...{ baseUrl: base, apiKey: 'key', key: `["${base}","key"]`, allowUnauthorizedCerts: true },
			credential: { id: '', name: '', type: 'encryptedContainersApi', data },
		});
	});

	it.each([undefined, null, ' '])('is none with the API key %j', async (apiKey) => {
		await expect(connect({ baseUrl: base, apiKey })).rejects.toThrow('The API Key in the');
	});
});

const me = (id: unknown, more = {}): Reply => ({ body: { id, ...more } });

describe('the user of an API key', () => {
	it('is asked for once by a client, and can be a number', async () => {
		const { client, sent } = setUpClient([me(17)]);
		const users = [client.getCurrentUser(), client.getCurrentUser()];
		expect((await Promise.all(users)).map(({ id }) => id)).toEqual(['17', '17']);
		expect(sent.map(({ url }) => url)).toEqual([`${base}/me`]);
	});

	it.each([
		[
			['etag', 'events'],
			['etag', 'events'],
		],
		[undefined, []],
		['etag', []],
	])('supports what the service lists: %j', async (features, expected) => {
		const { client } = setUpClient([me('user-1', { features })]);
		expect((await client.getCurrentUser()).features).toEqual(expected);
	});

	it.each(['', null, undefined, true, ['a']])('is not %j', async (id) => {
		expect((await errorOf(setUpClient([me(id)]).client.getCurrentUser())).message).toMatch(
			/JSON object .*instead of a user with an id for the request to find the user of the API key/,
		);
	});
});

describe('the link to a container in the credential', () => {
	const read = (containerUrl: unknown) =>
		getContainerUrl({ credential: { data: { containerUrl } } } as unknown as Connection);

	it('is optional, and without spaces around it', () => {
		const link = 'https://share.example.com/c/{containerId}';
		expect(read(` ${link} `)).toBe(link);
		for (const none of [undefined, '', ' ']) expect(read(none)).toBe('');
	});

	it.each(['https://x.example/c/', 'http://x.example/{containerId}', 'c/{containerId}'])(
		'is an error where it is none: %s',
		(link) => {
			expect(() => read(link)).toThrow('"Link to a Container" in the credential');
		},
	);
});
