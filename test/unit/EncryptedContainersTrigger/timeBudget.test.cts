import { TimeBudget } from '../../../nodes/EncryptedContainersTrigger/timeBudget';

const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

describe('the time of a poll', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it('waits for a task as long as there is time, with a margin', async () => {
		const budget = new TimeBudget(1000);
		const inTime = budget.waitFor(wait(940));
		const late = budget.waitFor(wait(960));
		await jest.advanceTimersByTimeAsync(949);
		expect(budget.isOver).toBe(false);
		await jest.advanceTimersByTimeAsync(1);
		expect(budget.isOver).toBe(true);

		expect(await inTime).toBe(true);
		expect(await late).toBe(false);
	});

	it('returns what the task returns, or says that it took too long', async () => {
		const budget = new TimeBudget(1000);

		expect(await budget.get(Promise.resolve('in time'))).toBe('in time');
		const late = expect(budget.get(wait(2000))).rejects.toMatchObject({
			message: 'The service responded too slowly for a poll',
			description: expect.stringMatching(/The next poll tries again/) as string,
		});
		await jest.advanceTimersByTimeAsync(1000);
		await late;
	});

	it('leaves no timer behind for longer than half a second', async () => {
		await new TimeBudget().waitFor(Promise.resolve());
		await jest.advanceTimersByTimeAsync(500);

		expect(jest.getTimerCount()).toBe(0);
	});

	it('fails as the task does', async () => {
		for (const budget of [new TimeBudget(), new TimeBudget(1000)]) {
			await expect(budget.get(Promise.reject(new Error('no')))).rejects.toThrow('no');
		}
	});

	it('is an hour, with the margin, in versions of n8n without it', () => {
		expect(new TimeBudget().end - Date.now()).toBe(57 * 60_000);
	});
});
