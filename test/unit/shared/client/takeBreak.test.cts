import { takeBreak } from '../../../../nodes/shared/client/takeBreak';

const work = (ms: number) => {
	const end = performance.now() + ms;
	while (performance.now() < end);
};

describe('long work', () => {
	it('lets others have their turn, however many work at a time', async () => {
		let turns = 0;
		const timer = setInterval(() => (turns += 1), 1);

		const workers = Array.from({ length: 100 }, async () => {
			for (let count = 0; count < 20; count += 1) {
				work(0.5);
				await takeBreak();
			}
		});
		await Promise.all(workers);
		clearInterval(timer);

		// A second of work, with a break every 40 ms.
		expect(turns).toBeGreaterThan(10);
	});
});

describe('a break', () => {
	let minutes = 0;
	beforeEach(async () => {
		jest.useFakeTimers();
		// The time of the test before is over.
		minutes += 1;
		await jest.advanceTimersByTimeAsync(minutes * 60_000);
	});
	afterEach(() => jest.useRealTimers());

	/** Whether work goes on at once; otherwise a break starts, which ends now. */
	const goesOn = async (maxBlock?: number) => {
		let isOver = false;
		const taking = takeBreak(maxBlock).then(() => (isOver = true));
		await Promise.resolve();
		await Promise.resolve();
		const result = isOver;
		await jest.advanceTimersByTimeAsync(0);
		await taking;
		return result;
	};

	it('is taken once in 40 milliseconds, or at once where that is asked for', async () => {
		await goesOn(0);
		expect(await goesOn()).toBe(true);
		await jest.advanceTimersByTimeAsync(39);
		expect(await goesOn()).toBe(true);
		await jest.advanceTimersByTimeAsync(1);
		expect(await goesOn()).toBe(false);
		expect(await goesOn()).toBe(true);
		expect(await goesOn(0)).toBe(false);
	});

	it('is taken by all that work at a time', async () => {
		await goesOn(0);
		const other = takeBreak(0);
		expect(await goesOn()).toBe(false);
		await other;
	});
});
