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
