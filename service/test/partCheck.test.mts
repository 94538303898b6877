import { setTimeout as sleep } from 'node:timers/promises';
import { PartCheck } from '../src/operate/partCheck.mts';

/** A check of one part, which says what is wrong with it. */
function createCheck() {
	const part = { failure: undefined as string | undefined, asked: 0 };
	const check = new PartCheck(async () => {
		part.asked += 1;
		await sleep(5);
		return [{ part: 'database', failure: part.failure }];
	});
	return { part, check };
}

describe('a failure', () => {
	it('of whom nothing is wrong with a part is none of a part', async () => {
		const { check } = createCheck();
		expect(await check.hasFailedSince(performance.now())).toBe(false);
	});

	it('is one of a part that was well a moment before', async () => {
		const { part, check } = createCheck();
		const begin = performance.now();
		expect(await check.read()).toEqual([{ part: 'database' }]);
		part.failure = 'failed';
		expect(await check.hasFailedSince(begin)).toBe(true);
	});

	it('is one of a part that was gone while it ran, and is well again', async () => {
		const { part, check } = createCheck();
		const begin = performance.now();
		part.failure = 'failed';
		await check.read();
		part.failure = undefined;
		const soonAfter = performance.now();
		await sleep(1100);
		expect(await check.read()).toEqual([{ part: 'database' }]);
		expect(await check.hasFailedSince(begin)).toBe(true);
		expect(await check.hasFailedSince(soonAfter)).toBe(true);
		await sleep(1100);
		expect(await check.hasFailedSince(performance.now())).toBe(false);
	});

	it('is one of an outage that ended before the next check', async () => {
		const { part, check } = createCheck();
		part.failure = 'failed';
		await check.read();
		await sleep(1100);
		const begin = performance.now();
		part.failure = undefined;
		expect(await check.hasFailedSince(begin)).toBe(true);
	});

	it('asks again during an outage, to find out how long it lasts', async () => {
		const { part, check } = createCheck();
		part.failure = 'failed';
		for (let asked = 1; asked <= 4; asked++) {
			expect(await check.hasFailedSince(performance.now())).toBe(true);
			expect(part.asked).toBe(asked);
			await sleep(1050);
		}
	});

	it('asks the parts no more often, however many there are', async () => {
		const { part, check } = createCheck();
		const begin = performance.now();
		await check.read();
		const end = begin + 1500;
		while (performance.now() < end) {
			void check.hasFailedSince(performance.now());
			await sleep(10);
		}
		const seconds = Math.floor((performance.now() - begin) / 1000);
		expect(part.asked).toBeGreaterThanOrEqual(2);
		expect(part.asked).toBeLessThanOrEqual(seconds + 1);
	});
});
