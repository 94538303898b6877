import { Limiter } from '../../../../nodes/shared/client/limiter';
import { Session } from '../../../../nodes/shared/client/session';
import { errorOf, settle, setUpClient, type Reply } from '../../support/client.cts';

const me = (id: unknown): Reply => ({ body: { id } });
const urls = (sent: Array<{ url: string }>) =>
	sent.map(({ url }) => url.slice('https://share.example.com/api/v1'.length));

/** A session, and one that starts later with the same key. */
function setUp(replies: Reply[], caller: Parameters<typeof setUpClient>[1] = {}) {
	const first = setUpClient(replies, caller);
	const startLater = (connection = first.connection) => {
		const session = new Session(connection, new Limiter(caller.concurrency ?? 5));
		const client = session.createClient({
			context: first.context,
			maxRetries: 0,
			responseTimeout: 60_000,
			...caller,
		});
		return { session, client };
	};
	return { ...first, startLater };
}

describe('the user of an API key', () => {
	afterEach(() => jest.useRealTimers());

	it('is fetched once, also for requests at the same time and later sessions', async () => {
		const { session, client, sent, startLater } = setUp([me('user-1')]);

		const users = await Promise.all([1, 2].map(async () => await session.getCurrentUser(client)));
		const later = startLater();
		users.push(await later.session.getCurrentUser(later.client));

		expect(users).toEqual(['user-1', 'user-1', 'user-1']);
		expect(urls(sent)).toEqual(['/me']);
	});

	it('is fetched when a slot is free', async () => {
		const { session, client, sent } = setUp(['nothing'], { concurrency: 1 });
		void client
			.requestObject({ method: 'GET', path: '/a', action: 'get it' })
			.catch(() => undefined);
		void session.getCurrentUser(client).catch(() => undefined);
		await settle();
		expect(urls(sent)).toEqual(['/a']);
	});

	it('is fetched again after ten minutes', async () => {
		jest.useFakeTimers();
		const { session, client, sent, startLater } = setUp([me('user-1'), me('user-2')]);
		await session.getCurrentUser(client);
		await jest.advanceTimersByTimeAsync(599_999);
		const inTime = startLater();
		expect(await inTime.session.getCurrentUser(inTime.client)).toBe('user-1');

		await jest.advanceTimersByTimeAsync(1);

		const later = startLater();
		expect(await later.session.getCurrentUser(later.client)).toBe('user-2');
		expect(sent).toHaveLength(2);
	});

	it('is fetched again after a failure that may be due to it', async () => {
		const { session, client, startLater } = setUp([me('user-1'), me('user-2')]);
		await session.getCurrentUser(client);

		session.forgetUser();

		const later = startLater();
		expect(await later.session.getCurrentUser(later.client)).toBe('user-2');
	});

	it('is another one for another key or base URL', async () => {
		const { session, client, connection, startLater } = setUp([me('a'), me('b'), me('c')]);
		await session.getCurrentUser(client);

		for (const [more, id] of [
			[{ apiKey: 'another-key' }, 'b'],
			[{ baseUrl: 'https://other.example.com/api/v1' }, 'c'],
		] as const) {
			const other = startLater({ ...connection, ...more });
			expect(await other.session.getCurrentUser(other.client)).toBe(id);
		}
	});

	it('is kept for the last thousand keys', async () => {
		const first = setUp([me('user-1'), me('user-2')]);
		await first.session.getCurrentUser(first.client);
		const others = Array.from({ length: 1000 }, () => setUp([me('other')]));
		for (const { session, client } of others) await session.getCurrentUser(client);

		const forgotten = first.startLater();
		expect(await forgotten.session.getCurrentUser(forgotten.client)).toBe('user-2');
		const known = others[1].startLater();
		expect(await known.session.getCurrentUser(known.client)).toBe('other');
	});

	it('can have a number as ID', async () => {
		const { session, client } = setUp([me(17)]);
		expect(await session.getCurrentUser(client)).toBe('17');
	});

	it.each(['', null, undefined, true, ['a']])('has no ID with %j', async (id) => {
		const { session, client } = setUp([me(id)]);
		expect((await errorOf(session.getCurrentUser(client))).message).toBe(
			'The service returned a JSON object without an id instead of a user with an id for the request to find the user of the API key',
		);
	});
});

describe('a refusal for a user of an earlier session', () => {
	const list = { method: 'GET', action: 'list the contacts' } as const;
	const refused: Reply = { status: 403 };
	const contacts: Reply = { body: [{ email: 'a@x.example' }] };

	/** A later session in which the list of the remembered user is refused. */
	const renew = async (
		replies: Reply[],
		path = '/users/user-1/contacts?x=1',
		caller: Parameters<typeof setUpClient>[1] = {},
	) => {
		const { session, client, sent, startLater } = setUp([me('user-1'), ...replies], caller);
		await session.getCurrentUser(client);
		sent.length = 0;
		const later = startLater();
		await later.session.getCurrentUser(later.client);
		const request = async () =>
			(await later.client.requestPage({ ...list, path })).entries.length > 0;
		return { ...later, sent, request };
	};

	it.each([403, 404])('%i: the request is sent for the user of today', async (status) => {
		const { sent, request, session, client } = await renew([{ status }, me('user-2'), contacts]);

		expect(await request()).toBe(true);

		expect(urls(sent)).toEqual(['/users/user-1/contacts?x=1', '/me', '/users/user-2/contacts?x=1']);
		expect(await session.getCurrentUser(client)).toBe('user-2');
	});

	it('asks once for all requests, within the slot of the first', async () => {
		const { sent, request } = await renew(
			[refused, me('user-2'), contacts, refused, contacts],
			undefined,
			{ concurrency: 1 },
		);

		await request();
		await request();

		expect(urls(sent).filter((url) => url === '/me')).toHaveLength(1);
		expect(sent).toHaveLength(5);
	});

	it.each<[string, Reply[], string | undefined, Parameters<typeof setUpClient>[1], number]>([
		['with another status', [{ status: 422 }], undefined, {}, 1],
		['of a lost connection', [{ error: new Error('x') }], undefined, {}, 1],
		['that names another user', [refused], '/users/user-10/contacts', {}, 1],
		['that names no user', [refused], '/containers/c-1', {}, 1],
		['for a caller that keeps its user', [refused], undefined, { keepsUser: true }, 1],
		['where it is the same user', [refused, me('user-1')], undefined, {}, 2],
		['where the service does not tell', [refused, { status: 500 }], undefined, {}, 2],
	])('stays a refusal %s', async (_what, replies, path, caller, count) => {
		const { sent, request } = await renew(replies, path, caller);

		const error = await errorOf(request());

		expect(error.message).toMatch(/list the contacts/);
		expect(sent).toHaveLength(count);
	});

	it('stays one in the session that asked for the user', async () => {
		const { session, client, sent } = setUp([me('user-1'), refused]);
		await session.getCurrentUser(client);
		await errorOf(client.requestPage({ ...list, path: '/users/user-1/contacts' }));
		expect(sent).toHaveLength(2);
	});

	it('tells the caller of a failure only if it stays one', async () => {
		let failures = 0;
		const onFailure = () => (failures += 1);
		const renewed = await renew([refused, me('user-2'), contacts], undefined, { onFailure });
		await renewed.request();
		expect(failures).toBe(0);

		const same = await renew([refused, me('user-1')], undefined, { onFailure });
		await errorOf(same.request());
		expect(failures).toBe(1);
	});
});
