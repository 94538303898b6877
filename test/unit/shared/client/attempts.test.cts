import type { ServiceRequest } from '../../../../nodes/shared/client/client';
import {
	afterAnHour,
	errorOf,
	getContainer,
	networkError,
	setUpClient,
	type Reply,
} from '../../support/client.cts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const ok: Reply = { body: { uuid: 'c-1' } };
const refused: Reply = { status: 403 };
const limited: Reply = { status: 429, headers: { 'retry-after': '10' } };
const blocked: Reply = { status: 429, headers: { 'retry-after': '7200' } };
const deletion = {
	method: 'DELETE',
	path: '/containers/c-1',
	action: 'delete the container',
	subject: { containerId: 'c-1' },
} as const;
const creation = { ...getContainer, method: 'POST', idempotent: false } as const;

describe('a request that fails', () => {
	it.each<[string, Reply, number]>([
		['502', { status: 502 }, 2],
		['429', { status: 429 }, 2],
		['a lost connection', networkError('ECONNRESET'), 2],
		['403', refused, 1],
	])('is sent again or not after %s', async (_how, reply, count) => {
		const { client, sent } = setUpClient([reply, ok], { maxRetries: 1 });
		await afterAnHour(client.requestObject(getContainer).catch(() => undefined));
		expect(sent).toHaveLength(count);
	});

	it('is sent again after a back-off', async () => {
		const { client, sent } = setUpClient([{ status: 502 }, ok], { maxRetries: 1 });
		const request = client.requestObject(getContainer);
		await jest.advanceTimersByTimeAsync(999);
		expect(sent).toHaveLength(1);
		await afterAnHour(request);
		expect(sent).toHaveLength(2);
	});

	it('names the number of attempts', async () => {
		const { client } = setUpClient([{ status: 502 }, { status: 502 }, { status: 502 }], {
			maxRetries: 2,
		});
		const error = await afterAnHour(errorOf(client.requestObject(getContainer)));
		expect(error.description).toMatch(/Tried 3 times\./);
	});

	it('is not sent again when the caller stops waiting before', async () => {
		const later = (milliseconds: number) => ({
			deadline: Date.now() + milliseconds,
			maxRetries: 1,
		});

		const late = setUpClient([limited, ok], later(9_999));
		await afterAnHour(errorOf(late.client.requestObject(getContainer)));
		expect(late.sent).toHaveLength(1);

		const inTime = setUpClient([limited, ok], later(10_000));
		await afterAnHour(inTime.client.requestObject(getContainer));
		expect(inTime.sent).toHaveLength(2);
	});

	it('that creates something is sent again only where it was not accepted', async () => {
		const lost = setUpClient([{ status: 502 }], { maxRetries: 3 });
		await errorOf(lost.client.requestObject(creation));
		expect(lost.sent).toHaveLength(1);

		const rejected = setUpClient([limited, ok], { maxRetries: 3 });
		await afterAnHour(rejected.client.requestObject(creation));
		expect(rejected.sent).toHaveLength(2);
	});
});

describe('an unknown outcome', () => {
	it.each<[string, Reply[], number]>([
		['is told for each attempt', [{ status: 502 }, networkError('EPIPE'), ok], 2],
		['is not told after a rejection', [limited, { status: 403 }], 0],
		['is told for a response that is not understood', [{ body: 'OK' }], 1],
	])('%s', async (_what, replies, count) => {
		let told = 0;
		const onUnknownOutcome = () => (told += 1);
		const { client } = setUpClient(replies, { maxRetries: 2 });
		const request = client.requestObject({ ...getContainer, onUnknownOutcome });
		await afterAnHour(request.catch(() => undefined));
		expect(told).toBe(count);
	});

	it.each<[string, Reply[], Partial<ServiceRequest>, boolean]>([
		['after a lost response', [{ status: 502 }, { status: 404 }], {}, true],
		['after a lost response, as gone', [{ status: 502 }, { status: 410 }], {}, true],
		['after two', [{ status: 502 }, { status: 429 }, { status: 404 }], {}, true],
		['after an earlier request', [{ status: 404 }], { mayBeDone: true }, true],
		['after a rejection', [{ status: 429 }, { status: 404 }], {}, false],
		['at once', [{ status: 404 }], {}, false],
		['where it is not missing', [{ status: 502 }, { status: 403 }], {}, false],
	])('shows that a missing record was deleted %s', async (_when, replies, more, isDeleted) => {
		const { client } = setUpClient(replies, { maxRetries: 2 });
		const request = client.requestOptionalObject({ ...deletion, ...more });
		const result = await afterAnHour(request.then(() => true).catch(() => false));
		expect(result).toBe(isDeleted);
	});

	it('of another request does not show that', async () => {
		const { client } = setUpClient([{ status: 502 }, { status: 404 }], { maxRetries: 1 });
		const error = await afterAnHour(errorOf(client.requestObject(getContainer)));
		expect(error.message).toBe('The container "c-1" was not found');
	});
});

describe('the caller', () => {
	const setUp = (replies: Reply[], maxRetries = 0) => {
		const events: string[] = [];
		const onFailure = () => events.push('failure');
		const service = setUpClient(replies, { maxRetries, onFailure, concurrency: 1 });
		return { ...service, events };
	};

	it('learns of a failure before the next request is sent', async () => {
		const { client, sent, events } = setUp([refused, ok]);
		const first = errorOf(client.requestObject(getContainer).finally(() => events.push('first')));
		const second = client
			.requestObject(getContainer)
			.then(() => events.push(`second of ${sent.length}`));

		await afterAnHour(Promise.all([first, second]));

		expect(events[0]).toBe('failure');
		expect(events).toHaveLength(3);
	});

	it.each<[string, Reply[], number, Partial<ServiceRequest>, number]>([
		['not of a success', [ok], 0, {}, 0],
		['not of an attempt that is repeated', [{ status: 502 }, ok], 1, {}, 0],
		['of the last attempt', [{ status: 502 }, { status: 502 }], 1, {}, 1],
		['of a missing record', [{ status: 404 }], 0, {}, 1],
		['not of a record that may be missing', [{ status: 404 }], 0, { mayBeMissing: true }, 0],
		['of another failure then', [refused], 0, { mayBeMissing: true }, 1],
	])('learns %s', async (_what, replies, maxRetries, more, count) => {
		const { client, events } = setUp(replies, maxRetries);
		const request = client.requestObject({ ...getContainer, ...more });
		await afterAnHour(request.catch(() => undefined));
		expect(events).toHaveLength(count);
	});

	it('learns of an upload that could not be prepared', async () => {
		const { client, events } = setUp([]);
		const upload = {
			size: 1,
			isLarge: false,
			prepare: async () => await Promise.reject(new Error('No file')),
			close: () => undefined,
		};
		await errorOf(client.requestObject({ ...creation, upload }));
		expect(events).toEqual(['failure']);
	});
});

describe('requests that wait for each other', () => {
	/** Sends a request for each path, in this order, and returns the paths in the order in which they were sent. */
	const sendAll = async (
		replies: Reply[],
		retriesByPath: Record<string, number>,
		concurrency = 1,
	) => {
		const { createClient, sent } = setUpClient(replies, { concurrency });
		const requests = Object.entries(retriesByPath).map(
			async ([path, maxRetries], priority) =>
				await createClient({ maxRetries, priority }).requestObject({ ...getContainer, path }),
		);
		await afterAnHour(Promise.allSettled(requests));
		return sent.map(({ url }) => url.slice(-1));
	};
	const outage: Reply = { status: 502 };

	it.each<[string, Reply[], Record<string, number>, number, string]>([
		['a retry keeps its place', [limited, ok, ok, ok], { '/a': 2, '/b': 2, '/c': 2 }, 1, 'aabc'],
		[
			'a last attempt gives way to one',
			[limited, ok, ok, ok],
			{ '/a': 1, '/b': 1, '/c': 1 },
			1,
			'abac',
		],
		[
			'a last attempt gives way to a retry',
			[limited, limited, ok, ok],
			{ '/a': 1, '/b': 2 },
			2,
			'abba',
		],
		['an outage of one pauses no other', [outage, ok, ok], { '/a': 2, '/b': 2 }, 1, 'aba'],
		['what is not sent again pauses no other', [limited, ok], { '/a': 0, '/b': 1 }, 1, 'ab'],
	])('%s', async (_what, replies, requests, concurrency, order) => {
		expect((await sendAll(replies, requests, concurrency)).join('')).toBe(order);
	});

	it.each<[string, Reply, string]>([
		['a second rejection', { status: 503 }, 'abac'],
		['a lost connection', networkError('EPIPE'), 'abac'],
		['a response', { status: 404 }, 'abacd'],
		['an outage', { status: 502 }, 'abacd'],
	])(
		'after a rate limit they are sent one by one until %s shows its end',
		async (_what, reply, sentUntilThen) => {
			const { createClient, sent } = setUpClient([limited, ok, reply, 'nothing', 'nothing'], {
				concurrency: 2,
			});
			for (const [priority, path] of ['/a', '/b', '/c', '/d'].entries()) {
				void createClient({ maxRetries: path === '/a' ? 1 : 0, priority })
					.requestObject({ ...getContainer, path })
					.catch(() => undefined);
			}

			await jest.advanceTimersByTimeAsync(20_000);

			expect(sent.map(({ url }) => url.slice(-1)).join('')).toBe(sentUntilThen);
		},
	);
});

describe('a limit of more than an hour', () => {
	it('rejects all requests of the session without sending them, until it is over', async () => {
		const { client, createClient, sent, replies } = setUpClient([blocked], { maxRetries: 1 });
		const first = await errorOf(client.requestObject(getContainer));
		const second = await errorOf(createClient().requestObject({ ...getContainer, path: '/me' }));

		expect(sent).toHaveLength(1);
		for (const error of [first, second]) {
			expect(error.message).toBe('The service received too many requests');
			expect(error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 7_200_000 });
		}

		await jest.advanceTimersByTimeAsync(7_199_999);
		await errorOf(client.requestObject(getContainer));
		expect(sent).toHaveLength(1);

		await jest.advanceTimersByTimeAsync(1);
		replies.push(ok);
		await client.requestObject(getContainer);
		expect(sent).toHaveLength(2);
	});

	it('is not forgotten when a request that was in flight fails', async () => {
		const { client, sent } = setUpClient([blocked, refused], { maxRetries: 1 });
		await Promise.all([1, 2].map(async () => await errorOf(client.requestObject(getContainer))));

		const error = await errorOf(client.requestObject(getContainer));

		expect(error.message).toBe('The service received too many requests');
		expect(sent).toHaveLength(2);
	});
});

describe('a request within another one', () => {
	it('takes the slot of that one', async () => {
		const { session, client, sent } = setUpClient([ok], { concurrency: 1 });
		const outer = session.limiter.run(
			0,
			async () => await client.requestObject({ ...getContainer, hasSlot: true }),
		);
		expect(await afterAnHour(outer)).toEqual({ uuid: 'c-1' });
		expect(sent).toHaveLength(1);
	});
});
