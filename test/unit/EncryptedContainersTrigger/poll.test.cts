import { runAlone } from '../../../nodes/EncryptedContainersTrigger/poll';
import { TimeBudget } from '../../../nodes/EncryptedContainersTrigger/timeBudget';

describe('polls of one node', () => {
	const context = {};
	const succeed = async () => await Promise.resolve('done');
	const fail = async () => await Promise.reject(new Error('no'));

	/** A poll that ends when the test says so. */
	const start = (node: string, owner: object) => {
		let end: (value: string) => void = () => undefined;
		const running = runAlone(
			node,
			owner,
			async () => await new Promise<string>((done) => (end = done)),
		);
		return { running, end: (value: string) => end(value) };
	};

	it('run one after the other, also after one that failed', async () => {
		const first = start('a', context);
		for (const owner of [context, {}]) {
			await expect(runAlone('a', owner, fail)).rejects.toThrow(
				'The previous poll is still running',
			);
		}
		expect(await runAlone('b', context, succeed)).toBe('done');
		first.end('first');
		expect(await first.running).toBe('first');

		await expect(runAlone('a', context, fail)).rejects.toThrow('no');
		expect(await runAlone('a', context, succeed)).toBe('done');
	});

	it('do not prevent a workflow from being activated again meanwhile', async () => {
		await runAlone('a', context, succeed);
		const old = start('a', context);
		await expect(runAlone('a', context, succeed)).rejects.toThrow('still running');

		const activated = start('a', {});
		old.end('old');
		await old.running;
		await expect(runAlone('a', {}, succeed)).rejects.toThrow('still running');
		activated.end('new');
		expect(await activated.running).toBe('new');
	});
});

describe('the time of a poll', () => {
	const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it('is enough for a task within it, with a margin, and leaves no timer behind', async () => {
		const budget = new TimeBudget(1000);
		const inTime = budget.waitFor(wait(940));
		const late = budget.waitFor(wait(960));
		await jest.advanceTimersByTimeAsync(949);
		expect(budget.isOver).toBe(false);
		await jest.advanceTimersByTimeAsync(1);
		expect(budget.isOver).toBe(true);
		expect([await inTime, await late]).toEqual([true, false]);

		await new TimeBudget().waitFor(Promise.resolve());
		await jest.advanceTimersByTimeAsync(500);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('returns what the task returns, fails as it does, or says that it took too long', async () => {
		const budget = new TimeBudget(1000);
		expect(await budget.get(Promise.resolve('in time'))).toBe('in time');
		for (const one of [budget, new TimeBudget()]) {
			await expect(one.get(Promise.reject(new Error('no')))).rejects.toThrow('no');
		}
		const late = expect(budget.get(wait(2000))).rejects.toMatchObject({
			message: 'The service responded too slowly for a poll',
			description: expect.stringMatching(/The next poll tries again/) as string,
		});
		await jest.advanceTimersByTimeAsync(1000);
		await late;
	});

	it('is an hour, with the margin, in versions of n8n without it', () => {
		expect(new TimeBudget().end - Date.now()).toBe(57 * 60_000);
	});
});
