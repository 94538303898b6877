import { getEventListeners } from 'node:events';
import { delay } from '../../../../nodes/shared/client/delay';
import { Limiter } from '../../../../nodes/shared/client/limiter';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const stop = new Error('stopped');
const settle = async () => await jest.advanceTimersByTimeAsync(0);
let keys = 0;

/** Requests with one limit, which end when the test ends them. */
function setUp(concurrency: number, key = `key ${(keys += 1)}`) {
	const controller = new AbortController();
	const limiter = new Limiter(key, concurrency, controller.signal);
	const started: string[] = [];
	const ends = new Map<string, (error?: Error) => void>();
	const request = async (name: string) => {
		await limiter.enter();
		try {
			started.push(name);
			await new Promise<void>((resolve, reject) =>
				ends.set(name, (error) => (error === undefined ? resolve() : reject(error))),
			);
			return name;
		} finally {
			limiter.leave();
		}
	};
	const send = async (name: string) => await request(name).catch((error: Error) => error.message);
	const sendAll = (names: string) => [...names].map(send);
	const end = async (name: string, error?: Error) => {
		ends.get(name)?.(error);
		await settle();
	};
	const pauseFor = (milliseconds: number) =>
		limiter.onRejection(
			{ kind: 'status', status: 429 },
			{ attempts: 1, maxRetries: 9, idempotent: true },
			{ delay: milliseconds, pauseAll: true },
		);
	return { limiter, controller, started: () => started.join(''), send, sendAll, end, pauseFor };
}

it('requests run in the order in which they come, a few at a time, and return what they return', async () => {
	const { started, sendAll, end } = setUp(2);
	const results = sendAll('abcd');
	await settle();
	expect(started()).toBe('ab');
	await end('b');
	expect(started()).toBe('abc');
	await end('a', new Error('failed'));
	await end('c');
	await end('d');
	expect(await Promise.all(results)).toEqual(['failed', 'b', 'c', 'd']);
});

it('a pause holds back all executions with the same credential, and no others', async () => {
	const all = [setUp(3, 'shared'), setUp(3, 'shared'), setUp(3)];
	all[0].pauseFor(1000);
	for (const { sendAll } of all) void sendAll('ab');
	await jest.advanceTimersByTimeAsync(999);
	expect(all.map(({ started }) => started())).toEqual(['', '', 'ab']);
	await jest.advanceTimersByTimeAsync(1);
	expect(all.map(({ started }) => started())).toEqual(['a', 'a', 'ab']);
});

it('a pause lets one go afterwards, and one more with each success, as many as before it', async () => {
	const { limiter, started, sendAll, end, pauseFor } = setUp(3);
	pauseFor(1000);
	void sendAll('abcdefgh');
	await jest.advanceTimersByTimeAsync(1000);
	expect(started()).toBe('a');
	for (const [name, sent] of Object.entries({ a: 'abc', b: 'abcde', c: 'abcdef', d: 'abcdefg' })) {
		limiter.onSuccess();
		await end(name);
		expect(started()).toBe(sent);
	}
});

/** When pauses begin, for how long, and when a request that waits is sent. */
it.each<[Record<number, number[]>, number]>([
	[{ 0: [3000, 1000] }, 3000],
	[{ 0: [1000], 500: [3000] }, 3500],
])('the pauses %j end after %i ms', async (pauses, sentAfter) => {
	const { pauseFor, started, send } = setUp(1);
	for (const [after, lengths] of Object.entries(pauses)) {
		for (const length of lengths) setTimeout(() => pauseFor(length), Number(after));
	}
	await settle();
	void send('a');
	await jest.advanceTimersByTimeAsync(sentAfter - 1);
	expect(started()).toBe('');
	await jest.advanceTimersByTimeAsync(1);
	expect(started()).toBe('a');
});

it('the end of an execution rejects what waits and what comes later, not what is in flight', async () => {
	const { controller, started, sendAll, send, end } = setUp(1);
	const [first, second] = sendAll('ab');
	await settle();
	controller.abort(stop);
	expect(await send('c')).toBe('stopped');
	await end('a');
	expect(await Promise.all([first, second])).toEqual(['a', 'stopped']);
	expect(started()).toBe('a');
});

/** Milliseconds after which waiting ends, and the message of its error. Nothing listens to the signal then. */
it.each<[number, number | undefined, [number, string?]]>([
	[2500, undefined, [2500]],
	[-5, undefined, [0]],
	[0.5, undefined, [1]],
	[60_000, 1500, [1500, 'stopped']],
	[60_000, 0, [0, 'stopped']],
])('a delay of %i ms that is stopped after %p ends after %j', async (milliseconds, after, end) => {
	const controller = new AbortController();
	if (after === 0) controller.abort(stop);
	else if (after !== undefined) setTimeout(() => controller.abort(stop), after);
	const startedAt = Date.now();
	const waiting = delay(milliseconds, controller.signal).then(
		() => [Date.now() - startedAt],
		(error: Error) => [Date.now() - startedAt, error.message],
	);
	await jest.advanceTimersByTimeAsync(2600);
	expect(await waiting).toEqual(end);
	expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});
