import { Limiter } from '../../../../nodes/shared/client/limiter';

const pause = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** A request that ends when the test ends it. */
function request() {
	let end: () => void = () => undefined;
	const ended = new Promise<void>((resolve) => (end = resolve));
	return { ended, end };
}

describe('requests of one execution', () => {
	it.each([1, 3, 10])('run at most %i at a time, and all of them are sent', async (concurrency) => {
		const limiter = new Limiter(concurrency);
		let inFlight = 0;
		let peak = 0;
		const results = await Promise.all(
			Array.from({ length: 40 }, async (_value, turn) =>
				limiter.run(turn, async () => {
					inFlight += 1;
					peak = Math.max(peak, inFlight);
					await pause(1);
					inFlight -= 1;
					return turn;
				}),
			),
		);
		expect(peak).toBe(concurrency);
		expect(results).toEqual(Array.from({ length: 40 }, (_value, turn) => turn));
	});

	it('run by priority, whenever they arrive', async () => {
		const limiter = new Limiter(1);
		const first = request();
		const order: number[] = [];
		const running = [
			limiter.run(9, async () => await first.ended),
			...[4, 1, 3, 0, 2, 1].map(
				async (turn) =>
					await limiter.run(turn, async () => {
						order.push(turn);
					}),
			),
		];
		first.end();
		await Promise.all(running);
		expect(order).toEqual([0, 1, 1, 2, 3, 4]);
	});

	it('free their place when they fail', async () => {
		const limiter = new Limiter(1);
		await expect(
			limiter.run(0, async () => {
				throw new Error('failed');
			}),
		).rejects.toThrow('failed');
		await expect(limiter.run(1, async () => 'sent')).resolves.toBe('sent');
	});
});

describe('a pause', () => {
	it('delays every request, then sends one before the others', async () => {
		const limiter = new Limiter(5);
		const startedAt = Date.now();
		limiter.pauseFor(60);
		const pausing = limiter.waitUntilResumed();
		let inFlight = 0;
		const peaks: number[] = [];
		const runs = Array.from({ length: 12 }, async (_value, turn) =>
			limiter.run(turn, async () => {
				expect(Date.now() - startedAt).toBeGreaterThanOrEqual(59);
				inFlight += 1;
				peaks.push(inFlight);
				await pause(5);
				inFlight -= 1;
				limiter.onSuccess();
			}),
		);
		await Promise.all([pausing, ...runs]);
		expect(peaks[0]).toBe(1);
		expect(peaks[1]).toBeLessThanOrEqual(2);
		expect(Math.max(...peaks)).toBeLessThanOrEqual(5);
		expect(Math.max(...peaks)).toBeGreaterThan(2);
	});

	it('lasts as long as the longest that was requested', async () => {
		const limiter = new Limiter(2);
		const startedAt = Date.now();
		limiter.pauseFor(80);
		limiter.pauseFor(20);
		await Promise.all([limiter.waitUntilResumed(), limiter.waitUntilResumed()]);
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(79);
	});

	it('does not delay a request with its own wait', async () => {
		const limiter = new Limiter(2);
		const startedAt = Date.now();
		limiter.pauseFor(200);
		const pausing = limiter.waitUntilResumed();
		await limiter.delay(10);
		expect(Date.now() - startedAt).toBeLessThan(150);
		await pausing;
	});
});

describe('an end', () => {
	const reason = new Error('The execution was canceled');

	it.each(['a cancellation', 'a stop'])(
		'by %s rejects waiting requests immediately',
		async (how) => {
			const controller = new AbortController();
			const limiter = new Limiter(1, controller.signal);
			const first = request();
			const inFlight = limiter.run(0, async () => {
				await first.ended;
				return 'finished';
			});
			await pause(1);
			limiter.pauseFor(2_000);
			const startedAt = Date.now();
			const waiting = [
				limiter.run(1, async () => 'never'),
				limiter.run(2, async () => 'never'),
				limiter.delay(2_000),
				limiter.waitUntilResumed(),
			].map(async (promise) => await promise.catch((error: unknown) => error));
			if (how === 'a stop') limiter.stop(reason);
			else controller.abort(reason);
			expect(await Promise.all(waiting)).toEqual([reason, reason, reason, reason]);
			expect(Date.now() - startedAt).toBeLessThan(1_000);
			first.end();
			expect(await inFlight).toBe('finished');
		},
	);

	it.each(['a cancellation', 'a stop'])('by %s rejects later requests', async (how) => {
		const controller = new AbortController();
		const limiter = new Limiter(1, controller.signal);
		if (how === 'a stop') limiter.stop(reason);
		else controller.abort(reason);
		await expect(limiter.run(0, async () => 'never')).rejects.toBe(reason);
		await expect(limiter.delay(2_000)).rejects.toBe(reason);
		limiter.pauseFor(2_000);
		await expect(limiter.waitUntilResumed()).rejects.toBe(reason);
	});

	const send = async () => await Promise.resolve();

	it.each<[string, (limiter: Limiter) => Promise<unknown>]>([
		['a delay', async (limiter) => await limiter.delay(60_000)],
		['a request', async (limiter) => await limiter.run(0, send)],
		['a request on its last attempt', async (limiter) => await limiter.run(0, send, true)],
	])('by a cancellation rejects %s that waits alone', async (_what, wait) => {
		const controller = new AbortController();
		const limiter = new Limiter(1, controller.signal);
		limiter.pauseFor(60_000);
		const waiting = wait(limiter);
		controller.abort(reason);
		await expect(waiting).rejects.toBe(reason);
	});

	it('leaves no listener on a signal that outlives the execution', async () => {
		const { signal } = new AbortController();
		const listeners = new Set<unknown>();
		const events: string[] = [];
		jest.spyOn(signal, 'addEventListener').mockImplementation((event, listener) => {
			events.push(event);
			listeners.add(listener);
		});
		jest.spyOn(signal, 'removeEventListener').mockImplementation((event, listener) => {
			events.push(event);
			listeners.delete(listener);
		});
		const limiter = new Limiter(1, signal);
		await Promise.all([
			limiter.run(0, async () => await pause(5)),
			limiter.run(1, async () => await pause(1)),
			limiter.delay(5),
		]);
		expect(new Set(events)).toEqual(new Set(['abort']));
		expect(listeners.size).toBe(0);
	});
});
