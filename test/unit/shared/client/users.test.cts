import { Session } from '../../../../nodes/shared/client/session';
import { getConnectionKey } from '../../../../nodes/shared/client/users';
import { errorOf, setUpClient, type Reply } from '../../support/client.cts';

const me = (id: unknown): Reply => ({ body: { id } });

/** The user of the key, asked for in this session and in later ones. */
function setUp(...replies: Reply[]) {
	const service = setUpClient(replies);
	const getUser = async () => await service.session.getCurrentUser(service.client);
	const getUserLater = async (more = {}) => {
		const session = new Session({ ...service.connection, ...more }, service.session.pace);
		const client = session.createClient({
			context: service.context,
			maxRetries: 0,
			responseTimeout: 1000,
		});
		return await session.getCurrentUser(client);
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

	it.each<[string, object, string]>([
		['another key', { apiKey: 'another-key' }, 'user-2'],
		['another base URL', { baseUrl: 'https://other.example.com/api/v1' }, 'user-2'],
		['the same ones', { allowUnauthorizedCerts: true }, 'user-1'],
	])('is asked for again with %s', async (_what, more, expected) => {
		const { getUser, getUserLater } = setUp(me('user-1'), me('user-2'));
		await getUser();
		expect(await getUserLater(more)).toBe(expected);
	});

	it('is asked for again after ten minutes', async () => {
		jest.useFakeTimers();
		const { getUser, getUserLater } = setUp(me('user-1'), me('user-2'));
		await getUser();
		await jest.advanceTimersByTimeAsync(599_999);
		expect(await getUserLater()).toBe('user-1');
		await jest.advanceTimersByTimeAsync(1);
		expect(await getUserLater()).toBe('user-2');
		// Within one session, it never changes.
		expect(await getUser()).toBe('user-1');
	});

	it('is remembered for the last thousand keys', async () => {
		const [first, second] = [setUp(me('1'), me('2')), setUp(me('1'), me('2'))];
		await first.getUser();
		await second.getUser();
		for (let count = 1; count < 1000; count += 1) await setUp(me('other')).getUser();
		expect(await second.getUserLater()).toBe('1');
		expect(await first.getUserLater()).toBe('2');
	});

	it.each<[number, string, string]>([
		[403, '/users/user-1/contacts', 'user-2'],
		[404, '/users/user-1/contacts', 'user-2'],
		[422, '/users/user-1/contacts', 'user-1'],
		[403, '/containers/c-1', 'user-1'],
	])('is asked for after status %i of %s by the next session: %s', async (status, path, next) => {
		const { client, getUser, getUserLater } = setUp(me('user-1'), { status }, me('user-2'));
		await getUser();
		await errorOf(client.requestPage({ method: 'GET', path, action: 'list them' }));
		expect(await getUser()).toBe('user-1');
		expect(await getUserLater()).toBe(next);
	});

	it.each(['u', 17, 0])('can be %j', async (id) => {
		expect(await setUp(me(id)).getUser()).toBe(String(id));
	});

	it.each(['', null, undefined, true, ['a']])('is not %j', async (id) => {
		expect((await errorOf(setUp(me(id)).getUser())).message).toBe(
			'The service returned a JSON object without an id instead of a user with an id for the request to find the user of the API key',
		);
	});

	it('is remembered under what does not show the key', () => {
		const { connection } = setUp();
		const key = getConnectionKey(connection);
		expect(getConnectionKey({ ...connection })).toBe(key);
		expect(key).toMatch(/^[\w+/]{43}=$/);
		expect(Buffer.from(key, 'base64').toString('latin1')).not.toContain(connection.apiKey);
	});
});
