import { TimeBudget } from '../../../nodes/EncryptedContainersTrigger/timeBudget';

const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

describe('the time of a poll', () => {
	it('waits for a task as long as there is time', async () => {
		const budget = new TimeBudget(100);

		expect(await budget.waitFor(wait(1))).toBe(true);
		expect(await budget.get(Promise.resolve('in time'))).toBe('in time');
		expect(await budget.waitFor(wait(300))).toBe(false);
		expect(budget.isOver).toBe(true);
		await expect(budget.get(wait(300))).rejects.toMatchObject({
			message: 'The service responded too slowly for a poll',
			description: expect.stringMatching(/The next poll tries again/) as string,
		});
	});

	it('fails as the task does', async () => {
		for (const budget of [new TimeBudget(), new TimeBudget(1000)]) {
			await expect(budget.get(Promise.reject(new Error('no')))).rejects.toThrow('no');
		}
	});

	it('is an hour in versions of n8n without it', () => {
		const minutes = (new TimeBudget().end - Date.now()) / 60_000;
		expect(minutes).toBeGreaterThan(50);
		expect(minutes).toBeLessThan(60);
	});
});
