import { delay } from '../../../../nodes/shared/client/delay';
import { Limiter } from '../../../../nodes/shared/client/limiter';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

let keys = 0;
const stop = new Error('stopped');

/** Requests with one limit, which end when the test ends them. */
function setUp(concurrency: number, key = `key ${(keys += 1)}`) {
	const controller = new AbortController();
	const limiter = new Limiter(key, concurrency, controller.signal);
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
	await end('c');
	await end('d');
	expect(await Promise.all(results)).toEqual(['failed', 'b', 'c', 'd']);
});

describe('a pause', () => {
	it('holds back all executions with the same credential, and no others', async () => {
		const all = [setUp(3, 'shared'), setUp(3, 'shared'), setUp(3)];
		all[0].limiter.pauseFor(1000);
		for (const { sendAll } of all) void sendAll('ab');
		await jest.advanceTimersByTimeAsync(999);
		expect(all.map(({ started }) => started.join(''))).toEqual(['', '', 'ab']);
		await jest.advanceTimersByTimeAsync(1);
		expect(all.map(({ started }) => started.join(''))).toEqual(['a', 'a', 'ab']);
	});

	it('lets one go afterwards, and one more with each success', async () => {
		const { limiter, started, sendAll, succeed } = setUp(3);
		limiter.pauseFor(1000);
		void sendAll('abcdefgh');
		await jest.advanceTimersByTimeAsync(1000);
		expect(started.join('')).toBe('a');
		// As many at a time as before the pause, and no more.
		for (const [name, sent] of Object.entries({
			a: 'abc',
			b: 'abcde',
			c: 'abcdef',
			d: 'abcdefg',
		})) {
			await succeed(name);
			expect(started.join('')).toBe(sent);
		}
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
	it('rejects what waits and what comes later, not what is in flight', async () => {
		const { controller, started, sendAll, send, settle, end } = setUp(1);
		const [first, second] = sendAll('ab');
		await settle();
		controller.abort(stop);
		expect(await send('c')).toBe('stopped');
		await end('a');
		expect(await Promise.all([first, second])).toEqual(['a', 'stopped']);
		expect(started).toEqual(['a']);
	});
});

/** Milliseconds after which waiting ends, and the message of its error. No timer is left behind then. */
it.each<[number, number | undefined, [number, string?]]>([
	[2500, undefined, [2500]],
	[0, undefined, [0]],
	[-5, undefined, [0]],
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
	expect(jest.getTimerCount()).toBe(0);
});
