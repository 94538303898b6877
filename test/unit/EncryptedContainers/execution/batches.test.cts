import { createBatches } from '../../../../nodes/EncryptedContainers/execution/batches';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const OFF = Number.POSITIVE_INFINITY;

/** Milliseconds after which each item starts, when a worker takes the next one every so often. */
async function start(size: number, interval: number, count: number, every = 0) {
	const begin = createBatches(new AbortController().signal, { size, interval });
	const startedAt = Date.now();
	const times: number[] = [];
	for (let index = 0; index < count; index += 1) {
		void begin().then(() => (times[index] = Date.now() - startedAt));
		await jest.advanceTimersByTimeAsync(every);
	}
	await jest.advanceTimersByTimeAsync(10_000);
	return times;
}

it.each<[number, number, number[], number?]>([
	[OFF, 0, [0, 0, 0]],
	[1, 0, [0, 0, 0]],
	[OFF, 100, [0, 0, 0]],
	[2, 100, [0, 0, 100, 100, 200]],
	[1, 100, [0, 100, 200]],
	// Slow items delay the batches after them, and no pause is made up for.
	[2, 100, [0, 80, 160, 240, 320], 80],
	[1, 100, [0, 100, 200, 300], 30],
])(
	'items start in batches of %j every %j ms: after %j',
	async (size, interval, times, ...[every]) => {
		expect(await start(size, interval, times.length, every)).toEqual(times);
	},
);

it('nothing starts after the end', async () => {
	const controller = new AbortController();
	const begin = createBatches(controller.signal, { size: 1, interval: 100 });
	await begin();
	const waiting = Promise.allSettled([begin(), begin()]);
	controller.abort(new Error('stopped'));
	await jest.advanceTimersByTimeAsync(1000);
	expect(await waiting).toEqual(
		[1, 2].map(() => ({ status: 'rejected', reason: new Error('stopped') })),
	);
});
