import { TimeBudget } from '../../../nodes/EncryptedContainersTrigger/timeBudget';

const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

const work = (ms: number) => {
	const end = performance.now() + ms;
	while (performance.now() < end);
};

describe('the time of a poll', () => {
	it('lets others have their turn during long work, however many work at a time', async () => {
		const budget = new TimeBudget();
		let turns = 0;
		const timer = setInterval(() => (turns += 1), 1);

		const workers = Array.from({ length: 100 }, async () => {
			for (let count = 0; count < 20; count += 1) {
				work(0.5);
				await budget.takeBreak();
			}
		});
		await Promise.all(workers);
		clearInterval(timer);

		// A second of work, with a break every 40 ms.
		expect(turns).toBeGreaterThan(10);
	});

	it('waits for a task as long as there is time', async () => {
		const budget = new TimeBudget(100);

		expect(await budget.waitFor(wait(1))).toBe(true);
		expect(await budget.get(Promise.resolve('in time'))).toBe('in time');
		expect(await budget.waitFor(wait(300))).toBe(false);
		expect(budget.isOver).toBe(true);
		await expect(budget.get(wait(300))).rejects.toThrow('too slowly');
	});

	it('fails as the task does', async () => {
		for (const budget of [new TimeBudget(), new TimeBudget(1000)]) {
			await expect(budget.get(Promise.reject(new Error('no')))).rejects.toThrow('no');
		}
	});

	it('never ends in versions of n8n without it', () => {
		expect(new TimeBudget().isOver).toBe(false);
	});
});
