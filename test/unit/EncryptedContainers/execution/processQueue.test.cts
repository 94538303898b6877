import { runAlone } from '../../../../nodes/EncryptedContainers/execution/processQueue';
import { Limiter } from '../../../../nodes/shared/client/limiter';

const MINUTE = 60_000;

/** A task that is over when `end` is called. */
function holdUp() {
	let end: () => void = () => undefined;
	const over = new Promise<void>((resolve) => (end = resolve));
	return { end, task: async () => await over };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('tasks of one key', () => {
	const run = async (task: () => Promise<unknown>, limiter = new Limiter(1)) =>
		await runAlone('key', 'the container "c-1"', limiter, task);

	it('run one after the other, also after one that fails', async () => {
		const order: string[] = [];
		const { end, task } = holdUp();
		const first = run(async () => {
			await task();
			order.push('first');
			throw new Error('no');
		});
		const second = run(async () => order.push('second'));
		const third = run(async () => order.push('third'));

		await jest.advanceTimersByTimeAsync(5 * MINUTE);
		expect(order).toEqual([]);
		end();

		await expect(first).rejects.toThrow('no');
		await Promise.all([second, third]);
		expect(order).toEqual(['first', 'second', 'third']);
	});

	it('wait for one before them that still runs, whatever is over', async () => {
		const order: string[] = [];
		const [one, other] = [holdUp(), holdUp()];
		const first = run(one.task);
		const second = run(async () => {
			await other.task();
			order.push('second');
		});
		one.end();
		await first;
		await jest.advanceTimersByTimeAsync(MINUTE);
		const third = run(async () => order.push('third'));
		await jest.advanceTimersByTimeAsync(MINUTE);
		other.end();

		await Promise.all([second, third]);
		expect(order).toEqual(['second', 'third']);
	});

	it('wait ten minutes at most, and do not let others pass when they give up', async () => {
		const order: string[] = [];
		const { end, task } = holdUp();
		const first = run(task);
		const second = run(async () => order.push('second'));
		const failure = expect(second).rejects.toMatchObject({
			message: 'Other executions used the container "c-1" for 10 minutes',
			description: expect.stringContaining('Nothing was sent.'),
		});
		await jest.advanceTimersByTimeAsync(9 * MINUTE);
		const third = run(async () => order.push('third'));
		await jest.advanceTimersByTimeAsync(2 * MINUTE);

		await failure;
		expect(order).toEqual([]);
		end();
		await Promise.all([first, third]);
		expect(order).toEqual(['third']);
	});

	it('stop waiting when their execution is canceled or stopped', async () => {
		const { end, task } = holdUp();
		const first = run(task);
		const cancellation = new AbortController();
		const canceled = run(task, new Limiter(1, cancellation.signal));
		const stopping = new Limiter(1);
		const stopped = run(task, stopping);

		cancellation.abort(new Error('canceled'));
		stopping.stop(new Error('stopped'));

		await expect(canceled).rejects.toThrow('canceled');
		await expect(stopped).rejects.toThrow('stopped');
		end();
		await first;
	});
});

describe('tasks of different keys', () => {
	it('do not wait for each other', async () => {
		const { end, task } = holdUp();
		const first = runAlone('one', 'one', new Limiter(1), task);

		await expect(runAlone('other', 'other', new Limiter(1), async () => 1)).resolves.toBe(1);
		end();
		await first;
	});
});
