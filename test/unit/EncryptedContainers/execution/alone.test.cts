import { runAlone } from '../../../../nodes/EncryptedContainers/execution/alone';

const MINUTE = 60_000;
const { signal } = new AbortController();

/** Tasks of one process. `end` ends a task of the key; the others do nothing. */
function setUp() {
	const order: string[] = [];
	const ends = new Map<string, (error?: Error) => void>();
	const hold = (name: string) => async () => {
		await new Promise<void>((resolve, reject) =>
			ends.set(name, (error) => (error === undefined ? resolve() : reject(error))),
		);
		order.push(name);
	};
	const run = async (name: string, key = 'key', ending = signal, letsOthersIn = false) =>
		await runAlone(key, 'the container "c-1"', ending, hold(name), letsOthersIn).catch(
			(error: Error) => error,
		);
	const end = async (name: string, error?: Error) => {
		ends.get(name)?.(error);
		await jest.advanceTimersByTimeAsync(0);
	};
	const isRunning = (name: string) => ends.has(name);
	return { order, run, end, isRunning };
}

beforeEach(() => jest.useFakeTimers());
afterEach(async () => {
	await jest.advanceTimersByTimeAsync(60 * MINUTE);
	expect(jest.getTimerCount()).toBe(0);
	jest.useRealTimers();
});

describe('tasks of one key', () => {
	it('run one after the other, also after one that fails, and return what they return', async () => {
		const { order, run, end, isRunning } = setUp();
		const first = run('first');
		const second = run('second');
		const third = runAlone('key', '', signal, async () => await Promise.resolve(order.join()));
		await jest.advanceTimersByTimeAsync(5 * MINUTE);
		expect(isRunning('second')).toBe(false);
		await end('first', new Error('no'));
		expect(await first).toEqual(new Error('no'));
		await end('second');
		await second;
		expect(await third).toBe('second');
	});

	it('let nobody in before they end, and nobody pass who gives up waiting', async () => {
		const { run, end, isRunning } = setUp();
		void run('first');
		await jest.advanceTimersByTimeAsync(9 * MINUTE);
		void run('second');
		await jest.advanceTimersByTimeAsync(9 * MINUTE);
		const third = run('third');
		const controller = new AbortController();
		const canceled = run('canceled', 'key', controller.signal);
		const last = run('last');
		controller.abort(new Error('canceled'));
		expect(await canceled).toEqual(new Error('canceled'));
		await end('first');
		expect([isRunning('second'), isRunning('third'), isRunning('last')]).toEqual([
			true,
			false,
			false,
		]);
		const late = run('late');
		await end('second');
		expect([isRunning('third'), isRunning('last')]).toEqual([true, false]);
		await end('third');
		expect(isRunning('late')).toBe(false);
		await end('last');
		await end('late');
		await Promise.all([third, last, late]);
	});

	it('let the next one in after ten minutes, unless both would create the same', async () => {
		const { run, end, isRunning } = setUp();
		void run('first', 'key', signal, true);
		await jest.advanceTimersByTimeAsync(9 * MINUTE);
		void run('second', 'key', signal, true);
		await jest.advanceTimersByTimeAsync(MINUTE - 1);
		expect(isRunning('second')).toBe(false);
		await jest.advanceTimersByTimeAsync(1001);
		expect(isRunning('second')).toBe(true);
		await end('first');
		await end('second');
	});

	it('that wait longer than ten minutes say so, and send nothing', async () => {
		const { order, run, end } = setUp();
		void run('first');
		const others = [run('second'), run('third')];
		await jest.advanceTimersByTimeAsync(10 * MINUTE + 1000);
		for (const other of others) {
			expect(await other).toMatchObject({
				message: 'Other executions used the container "c-1" for 10 minutes',
				description: expect.stringContaining('Nothing was sent.'),
			});
		}
		await end('first');
		expect(order).toEqual(['first']);
	});
});

it('tasks of different keys do not wait for each other', async () => {
	const { run, end, isRunning } = setUp();
	void run('first');
	void run('other', 'another key');
	await jest.advanceTimersByTimeAsync(0);
	expect(isRunning('other')).toBe(true);
	await end('first');
	await end('other');
});
