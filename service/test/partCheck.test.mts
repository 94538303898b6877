import { setTimeout as sleep } from 'node:timers/promises';
import { PartCheck } from '../src/operate/partCheck.mts';

// Fake timers replace the functions of the global object, not those of this module.
jest.mock('node:timers/promises', () => ({
	setTimeout: async (milliseconds: number) =>
		await new Promise((resolve) => setTimeout(resolve, milliseconds)),
}));

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

// Only what the tests say passes the time: a busy machine would let an outage grow old.
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);
/** Lets as much time pass as it needs. */
const finish = async <Value,>(running: Promise<Value>): Promise<Value> => {
	let isOver = false;
	void running.finally(() => (isOver = true));
	while (!isOver) await pass(5);
	return await running;
};

describe('a failure', () => {
	it('of whom nothing is wrong with a part is none of a part', async () => {
		const { check } = createCheck();
		expect(await finish(check.hasFailedSince(performance.now()))).toBe(false);
	});

	it('is one of a part that was well a moment before', async () => {
		const { part, check } = createCheck();
		const begin = performance.now();
		expect(await finish(check.read())).toEqual([{ part: 'database' }]);
		part.failure = 'failed';
		expect(await finish(check.hasFailedSince(begin))).toBe(true);
	});

	it('is one of a part that was gone while it ran, and is well again', async () => {
		const { part, check } = createCheck();
		const begin = performance.now();
		part.failure = 'failed';
		await finish(check.read());
		part.failure = undefined;
		const soonAfter = performance.now();
		await pass(1000);
		expect(await finish(check.read())).toEqual([{ part: 'database' }]);
		expect(await finish(check.hasFailedSince(begin))).toBe(true);
		expect(await finish(check.hasFailedSince(soonAfter))).toBe(true);
		await pass(1100);
		expect(await finish(check.hasFailedSince(performance.now()))).toBe(false);
	});

	it('is one of an outage that ended before the next check', async () => {
		const { part, check } = createCheck();
		part.failure = 'failed';
		await finish(check.read());
		await pass(1100);
		const begin = performance.now();
		part.failure = undefined;
		expect(await finish(check.hasFailedSince(begin))).toBe(true);
	});

	it('asks again during an outage, to find out how long it lasts', async () => {
		const { part, check } = createCheck();
		part.failure = 'failed';
		for (let asked = 1; asked <= 4; asked++) {
			expect(await finish(check.hasFailedSince(performance.now()))).toBe(true);
			expect(part.asked).toBe(asked);
			await pass(1000);
		}
	});

	it('asks the parts no more often, however many there are', async () => {
		const { part, check } = createCheck();
		for (let failures = 0; failures < 150; failures++) {
			void check.hasFailedSince(performance.now());
			await pass(10);
		}
		expect(part.asked).toBe(2);
	});
});
