import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import {
	getConnection,
	getContainerUrl,
	normalizeBaseUrl,
	type Connection,
} from '../../../../nodes/shared/client/connection';
import { parseUserId } from '../../../../nodes/shared/client/path';
import { errorOf, setUpClient, type Reply } from '../../support/client.cts';

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

	it.each<[string, ...unknown[]]>([
		['is empty', '', '   ', '/', undefined, 42],
		[
			'is not a valid URL',
			...['share.example.com/api/v1', 'https://', 'https://exa mple.com', 'javascript:alert(1)'],
			...['https://share.example.com\\api\\v1', 'https://share.exa\nmple.com/api/v1'],
		],
		['is longer than 2000 characters', ofLength(2001)],
		['does not start with https://', 'http://share.example.com/api/v1', 'ftp://share.example.com'],
		[
			'contains a user name, a query or a fragment',
			...['user:secret@', 'user@', '@', ':@'].map((user) => `https://${user}x.example/v1`),
			...['?key=1', '?', '#', '#top'].map((rest) => `${base}${rest}`),
			'https:@x.example/v1',
		],
	])('is an error if it %s', (message, ...refused) => {
		for (const entered of refused) {
			expect(() => normalizeBaseUrl(entered)).toThrow(`The Base URL in the credential ${message}`);
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
		const data = { baseUrl: ` ${base}/ `, apiKey: ' bearer key\n', allowUnauthorizedCerts: true };
		expect(await connect(data)).toEqual({
			...{ baseUrl: base, apiKey: 'key', allowUnauthorizedCerts: true },
			credential: { id: '', name: '', type: 'encryptedContainersApi', data },
		});
		await expect(connect({ baseUrl: 'http://x.example', apiKey: 'key' })).rejects.toThrow(
			'does not start with https://',
		);
	});

	it.each([undefined, null, ' '])('is none with the API key %j', async (apiKey) => {
		await expect(connect({ baseUrl: base, apiKey })).rejects.toThrow(
			'API Key in the credential is',
		);
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

const me = (id: unknown): Reply => ({ body: { id } });

/** The user of the key, asked for in this execution and in later ones. */
function setUp(...replies: Reply[]) {
	const service = setUpClient(replies);
	const getUser = async () => (await service.client.getCurrentUser()).id;
	const getUserLater = async (more = {}) => {
		const connection = { ...service.connection, ...more };
		return (await service.createClient({ connection }).getCurrentUser()).id;
	};
	return { ...service, getUser, getUserLater };
}

describe('the user of an API key', () => {
	afterEach(() => jest.useRealTimers());

	it('is asked for once, by all that need it at a time or later', async () => {
		const { sent, getUser, getUserLater } = setUp(me('user-1'));
		const users = [...(await Promise.all([getUser(), getUser()])), await getUserLater()];
		expect(users).toEqual(['user-1', 'user-1', 'user-1']);
		expect(sent.map(({ url }) => url)).toEqual(['https://share.example.com/api/v1/me']);
	});

	it.each([
		[
			['etag', 'events'],
			['etag', 'events'],
		],
		[undefined, []],
		['etag', []],
	])('supports what the service lists: %j', async (features, expected) => {
		const { client, sent } = setUp({ body: { id: 'user-1', features } });
		for (let times = 0; times < 2; times += 1) {
			expect((await client.getCurrentUser()).features).toEqual(expected);
		}
		expect(sent).toHaveLength(1);
	});

	it('is asked for again with another key', async () => {
		const { getUser, getUserLater } = setUp(me('user-1'), me(17));
		await getUser();
		expect(await getUserLater({ apiKey: 'another-key' })).toBe('17');
	});

	it('is asked for again after ten minutes', async () => {
		jest.useFakeTimers();
		const { getUser, getUserLater } = setUp(me('user-1'), me('user-2'));
		await getUser();
		await jest.advanceTimersByTimeAsync(599_999);
		expect(await getUserLater()).toBe('user-1');
		await jest.advanceTimersByTimeAsync(1);
		expect(await getUserLater()).toBe('user-2');
		// Within one execution, it never changes.
		expect(await getUser()).toBe('user-1');
	});

	it.each(['', null, undefined, true, ['a'], 'a/b'])('is not %j', async (id) => {
		expect((await errorOf(setUp(me(id)).getUser())).message).toBe(
			'The service returned a JSON object without an id that can be used instead of a user with an id for the request to find the user of the API key',
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

	it.each([
		'https://share.example.com/c/',
		'http://share.example.com/{containerId}',
		'c/{containerId}',
	])('is an error where it is none: %s', (link) => {
		expect(() => read(link)).toThrow('"Link to a Container" in the credential');
	});
});
