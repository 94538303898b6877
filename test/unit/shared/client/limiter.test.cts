import type { Connection } from '../../../../nodes/shared/client/connection';
import { delay } from '../../../../nodes/shared/client/delay';
import { Limiter } from '../../../../nodes/shared/client/limiter';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

let keys = 0;

/** Requests with one limit, which end when the test ends them. */
function setUp(concurrency: number, apiKey = `key ${(keys += 1)}`) {
	const controller = new AbortController();
	const connection = { baseUrl: 'https://x.example', apiKey } as Connection;
	const limiter = new Limiter({ connection, concurrency, signal: controller.signal });
	const started: string[] = [];
	const ends = new Map<string, (error?: Error) => void>();
	const send = async (name: string) =>
		await limiter
			.run(async () => {
				started.push(name);
				await new Promise<void>((resolve, reject) =>
					ends.set(name, (error) => (error === undefined ? resolve() : reject(error))),
				);
				return name;
			})
			.catch((error: Error) => error.message);
	const sendAll = (names: string) => [...names].map(send);
	const settle = async () => await jest.advanceTimersByTimeAsync(0);
	const end = async (name: string, error?: Error) => {
		ends.get(name)?.(error);
		await settle();
	};
	const succeed = async (name: string) => {
		limiter.onSuccess();
		await end(name);
	};
	return { limiter, controller, started, send, sendAll, settle, end, succeed };
}

it('requests run in the order in which they come, a few at a time, and return what they return', async () => {
	const { started, sendAll, settle, end } = setUp(2);
	const results = sendAll('abcd');
	await settle();
	expect(started.join('')).toBe('ab');
	await end('b');
	expect(started.join('')).toBe('abc');
	await end('a', new Error('failed'));
	expect(started.join('')).toBe('abcd');
	await end('c');
	await end('d');
	expect(await Promise.all(results)).toEqual(['failed', 'b', 'c', 'd']);
});

describe('a pause', () => {
	it('holds back all executions with the same credential, and no others', async () => {
		const [first, second] = [setUp(3, 'shared'), setUp(3, 'shared')];
		const other = setUp(3);
		first.limiter.pauseFor(1000);
		void first.send('a');
		void second.sendAll('bc');
		void other.send('d');
		await jest.advanceTimersByTimeAsync(999);
		expect([first, second, other].map(({ started }) => started.join(''))).toEqual(['', '', 'd']);
		await jest.advanceTimersByTimeAsync(1);
		expect([first, second].map(({ started }) => started.join(''))).toEqual(['a', 'b']);
	});

	it('holds all back, then lets one go, and one more with each success', async () => {
		const { limiter, started, sendAll, succeed } = setUp(3);
		limiter.pauseFor(1000);
		void sendAll('abcdefgh');
		await jest.advanceTimersByTimeAsync(999);
		expect(started).toEqual([]);
		await jest.advanceTimersByTimeAsync(1);
		for (const [name, sent] of [
			['a', 'abc'],
			['b', 'abcde'],
			// As many at a time as before the pause, and no more.
			['c', 'abcdef'],
			['d', 'abcdefg'],
		]) {
			expect(started.join('')).toBe(sent.slice(0, started.length));
			await succeed(name);
			expect(started.join('')).toBe(sent);
		}
	});

	it('is not over because a request from before it succeeds', async () => {
		const { limiter, started, sendAll, settle, succeed } = setUp(3);
		void sendAll('a');
		await settle();
		limiter.pauseFor(1000);
		void sendAll('bc');
		await succeed('a');
		await jest.advanceTimersByTimeAsync(1000);
		expect(started.join('')).toBe('ab');
	});

	/** When pauses begin, for how long, and when a request that waits is sent. */
	it.each<[Record<number, number[]>, number]>([
		[{ 0: [3000, 1000] }, 3000],
		[{ 0: [1000], 500: [3000] }, 3500],
	])('%j ends after %i ms', async (pauses, sentAfter) => {
		const { limiter, started, send } = setUp(1);
		for (const [after, lengths] of Object.entries(pauses)) {
			for (const length of lengths) setTimeout(() => limiter.pauseFor(length), Number(after));
		}
		await jest.advanceTimersByTimeAsync(0);
		void send('a');
		await jest.advanceTimersByTimeAsync(sentAfter - 1);
		expect(started).toEqual([]);
		await jest.advanceTimersByTimeAsync(1);
		expect(started).toEqual(['a']);
	});
});

describe('the end of an execution', () => {
	const stop = new Error('stopped');

	it('rejects what waits and what comes later, not what is in flight', async () => {
		const { controller, started, sendAll, send, settle, end } = setUp(1);
		const [first, second] = sendAll('ab');
		await settle();
		controller.abort(stop);
		const later = send('c');
		expect(await Promise.all([second, later])).toEqual(['stopped', 'stopped']);
		await end('a');
		expect(await first).toBe('a');
		expect(started).toEqual(['a']);
	});

	it('rejects what waits for the end of a pause', async () => {
		const { limiter, controller, started, send } = setUp(1);
		limiter.pauseFor(60_000);
		const waiting = send('a');
		controller.abort(stop);
		expect(await waiting).toBe('stopped');
		await jest.advanceTimersByTimeAsync(120_000);
		expect(started).toEqual([]);
	});
});

describe('a delay', () => {
	/** Milliseconds after which a delay ends, and the message of its error. */
	async function measure(milliseconds: number, { abortAfter = Number.NaN, isAborted = false }) {
		const controller = new AbortController();
		if (isAborted) controller.abort(new Error('aborted'));
		if (abortAfter >= 0) setTimeout(() => controller.abort(new Error('aborted')), abortAfter);
		const startedAt = Date.now();
		const waiting = delay(milliseconds, controller.signal).then(
			() => [Date.now() - startedAt],
			(error: Error) => [Date.now() - startedAt, error.message],
		);
		await jest.advanceTimersByTimeAsync(milliseconds + 2000);
		return await waiting;
	}

	it.each<[number, Parameters<typeof measure>[1], [number, string?]]>([
		[2500, {}, [2500]],
		[0, {}, [0]],
		[-5, {}, [0]],
		[60_000, { abortAfter: 1500 }, [1500, 'aborted']],
		[60_000, { isAborted: true }, [0, 'aborted']],
	])('of %i ms with %j ends after %j', async (milliseconds, events, expected) => {
		expect(await measure(milliseconds, events)).toEqual(expected);
	});

	it('leaves no timer of more than 100 milliseconds behind, and one listener of all delays', async () => {
		const controller = new AbortController();
		const add = jest.spyOn(controller.signal, 'addEventListener');
		const delays = Array.from(
			{ length: 20 },
			async () => await delay(3_600_000, controller.signal),
		);
		const ended = Promise.allSettled(delays);
		controller.abort();
		await ended;
		await jest.advanceTimersByTimeAsync(100);

		expect(jest.getTimerCount()).toBe(0);
		expect(add).toHaveBeenCalledTimes(1);
	});
});
