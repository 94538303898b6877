import { acceptChange, acceptObject } from '../../../../nodes/shared/client/accept';
import type { ServiceRequest } from '../../../../nodes/shared/client/client';
import type { Doubt } from '../../../../nodes/shared/errors/failure';
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
const outage: Reply = { status: 502 };
const lost = networkError('ECONNRESET');
const subject = { creates: 'container' } as const;
const earlier = { what: 'change', isEarlier: true } as const;
const creation = { ...getContainer, method: 'POST', subject, idempotent: false } as const;
const keyed = { ...creation, idempotent: true, headers: { 'Idempotency-Key': 'a key' } };
const running: Reply = {
	status: 409,
	body: { code: 'in_progress', message: 'Still running' },
	headers: { 'retry-after': '20' },
};

describe('a request that fails', () => {
	it.each<[string, Reply[], Partial<ServiceRequest>, number]>([
		['an outage', [outage, ok], {}, 2],
		['a limit', [limited, ok], {}, 2],
		['a refusal', [refused], {}, 1],
		['all retries', [outage, lost, outage], {}, 3],
		['an outage of a creation', [outage], creation, 1],
		['a limit of a creation', [limited, ok], creation, 2],
		['a lost response of a creation with a key', [lost, ok], keyed, 2],
		['a creation with a key that is still running', [running, ok], keyed, 2],
	])('after %s is sent so often: %#', async (_what, replies, more, count) => {
		const { client, sent } = setUpClient(replies, { maxRetries: 2 });
		const request = client.request({ ...getContainer, ...more }, acceptObject);
		const error = await afterAnHour(request.catch((one: Error) => one));
		expect(sent).toHaveLength(count);
		if (count === 3)
			expect(error).toMatchObject({ description: expect.stringContaining('Tried 3 times.') });
	});

	it.each([limited, outage])('is not sent again after the end: %j', async (reply) => {
		const controller = new AbortController();
		const { client, sent } = setUpClient([reply], { maxRetries: 5, signal: controller.signal });
		const request = errorOf(client.request(getContainer, acceptObject));
		await jest.advanceTimersByTimeAsync(500);
		controller.abort(new Error('stopped'));
		expect((await afterAnHour(request)).message).toBe('stopped');
		expect(sent).toHaveLength(1);
	});
});

it('is sent again with the same key, as long as the service still works on it', async () => {
	const { client, sent } = setUpClient([lost, running, running], { maxRetries: 2 });
	const request = client.request({ ...getContainer, ...keyed }, acceptObject);
	const { description } = await afterAnHour(errorOf(request));
	expect(sent.map(({ headers }) => headers?.['Idempotency-Key'])).toEqual(Array(3).fill('a key'));
	expect(description).toContain('The container might have been created');
});

it('says what might have been created also where a password is the word for it', async () => {
	const { client } = setUpClient([lost], { maxRetries: 0 });
	const request = { ...creation, secrets: ['container'] };
	const { description } = await afterAnHour(errorOf(client.request(request, acceptObject)));
	expect(description).toContain('The container might have been created');
});

it.each<[Doubt | undefined, string, Reply[], Partial<ServiceRequest>]>([
	[{ what: 'container' }, 'of which an attempt was lost', [lost, { status: 400 }], keyed],
	[{ what: 'change' }, 'whose response is not understood', [{ body: 'OK' }], { method: 'PATCH' }],
	[undefined, 'that was only rejected', [limited, refused], { method: 'PATCH' }],
	[undefined, 'that reads', [outage, outage, outage], {}],
	[earlier, 'that belongs to one before', [refused], { doubt: earlier }],
])('the error has the doubt %j for a request %s', async (doubt, _what, replies, more) => {
	const { client } = setUpClient(replies, { maxRetries: 2 });
	const error = await afterAnHour(
		errorOf(client.request({ ...getContainer, ...more }, acceptObject)),
	);
	expect(error).toMatchObject({ doubt });
});

it.each([
	['in doubt', lost, true],
	['what ended it', limited, false],
])('a change that ends while it waits for its next attempt is %s', async (_what, reply, doubts) => {
	const controller = new AbortController();
	const { client } = setUpClient([reply], { maxRetries: 5, signal: controller.signal });
	const request = errorOf(client.request({ ...getContainer, method: 'PATCH' }, acceptChange));
	await jest.advanceTimersByTimeAsync(500);
	controller.abort(new Error('stopped'));
	const error = await afterAnHour(request);
	expect(error).toMatchObject(doubts ? { doubt: { what: 'change' } } : { message: 'stopped' });
});

it.each<[string, Reply, boolean]>([
	['after an outage', outage, true],
	['not after a limit', limited, false],
])('a change that is refused might have been made, %s', async (_what, first, isInDoubt) => {
	const { client } = setUpClient([first, { status: 409 }], { maxRetries: 1 });
	const subject = { containerId: 'c-1' };
	const change = { ...getContainer, method: 'PATCH', subject } as const;
	const { description } = await afterAnHour(errorOf(client.request(change, acceptChange)));
	expect(description?.includes('The service might have made the change.')).toBe(isInDoubt);
});

describe('requests at the same time', () => {
	/** How often each path is sent again, and the order in which they are sent. */
	it.each<[string, Reply[], Record<string, number>, string]>([
		['an outage of one pauses no other', [outage, ok, ok], { '/a': 2, '/b': 2 }, 'aba'],
		['what is not sent again pauses no other', [limited, ok], { '/a': 0, '/b': 1 }, 'ab'],
		['a limit pauses all', [limited, ok, ok, ok], { '/a': 1, '/b': 1, '/c': 1 }, 'abca'],
	])('%s', async (_what, replies, retries, order) => {
		const { createClient, sent } = setUpClient(replies, { concurrency: 1 });
		const requests = Object.entries(retries).map(
			async ([path, maxRetries]) =>
				await createClient({ maxRetries }).request({ ...getContainer, path }, acceptObject),
		);
		await afterAnHour(Promise.allSettled(requests));
		expect(sent.map(({ url }) => url.slice(-1)).join('')).toBe(order);
	});

	it.each<[string, Reply, string]>([
		['a second rejection', { status: 503 }, 'abcd'],
		['a lost connection', networkError('EPIPE'), 'abcd'],
		['a response', { status: 404 }, 'abcde'],
		['an outage', outage, 'abcde'],
	])('go one by one after a limit until %s shows its end', async (_what, reply, order) => {
		const replies: Reply[] = [limited, ok, reply, 'nothing', 'nothing', 'nothing'];
		const { createClient, sent } = setUpClient(replies, { concurrency: 2 });
		for (const path of ['/a', '/b', '/c', '/d', '/e', '/f']) {
			void createClient({ maxRetries: path === '/a' ? 1 : 0 })
				.request({ ...getContainer, path }, acceptObject)
				.catch(() => undefined);
		}
		await jest.advanceTimersByTimeAsync(20_000);
		expect(sent.map(({ url }) => url.slice(-1)).join('')).toBe(order);
	});
});

it('an outage of many requests ends none that has a try left, where each waits by itself', async () => {
	const paths = Array.from({ length: 30 }, (_value, index) => `/${index}`);
	const replies = [...paths, ...paths].map((): Reply => ({ status: 503 }));
	const { client } = setUpClient([...replies, ...paths.map(() => ok)], {
		...{ concurrency: 2, maxRetries: 2 },
	});
	const all = paths.map(
		async (path) => await client.request({ ...getContainer, path }, acceptObject),
	);
	const results = await afterAnHour(Promise.allSettled(all));
	expect(results.filter((one) => one.status === 'rejected')).toEqual([]);
});

describe.each([429, 503])('%i for all tries of a request', (status) => {
	const limit: Reply = { status, headers: { 'retry-after': '1' } };
	const change = { ...getContainer, method: 'PATCH' } as const;
	const send = async (replies: Reply[]) => {
		const { createClient, sent } = setUpClient(replies, { concurrency: 2 });
		const all = Array.from(
			{ length: 50 },
			async () => await createClient({ maxRetries: 5 }).request(change, acceptChange),
		);
		const results = await afterAnHour(Promise.allSettled(all));
		return {
			errors: results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
			sent,
		};
	};

	it('ends all requests: those that were not sent are in no doubt', async () => {
		const { errors, sent } = await send(Array<Reply>(99).fill(limit));
		expect(errors).toHaveLength(50);
		expect(sent.length).toBeLessThan(20);
		expect(errors.at(-1)).toMatchObject({
			...{
				reason: { status },
				description: expect.not.stringContaining('might have made') as string,
			},
		});
	});

	it('ends nothing when the service accepts a request meanwhile', async () => {
		const limits = Array<Reply>(6).fill(limit);
		const replies = [...limits, ok, ...limits, ...Array<Reply>(49).fill(ok)];
		expect((await send(replies)).errors).toEqual([]);
	});
});
