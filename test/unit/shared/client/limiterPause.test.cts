import { Limiter } from '../../../../nodes/shared/client/limiter';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Requests through one limiter, which end when the test ends them. */
function setUp(concurrency: number, cancelled?: AbortSignal) {
	const limiter = new Limiter(concurrency, cancelled);
	const started: string[] = [];
	const ends = new Map<string, () => void>();
	const send = (name: string, priority = 0, isLastAttempt = false) => {
		const task = async () => {
			started.push(name);
			await new Promise<void>((resolve) => ends.set(name, resolve));
		};
		void limiter.run(priority, task, isLastAttempt).catch(() => started.push(`not ${name}`));
	};
	const settle = async () => await jest.advanceTimersByTimeAsync(0);
	const end = async (name: string, isAccepted = true) => {
		await settle();
		if (isAccepted) limiter.onSuccess();
		ends.get(name)?.();
		await settle();
	};
	/** Rejects a request, which returns to its place when the pause is over. */
	const reject = (name: string, milliseconds: number, priority = 0, isLastAttempt = false) => {
		limiter.pauseFor(milliseconds);
		void limiter.waitUntilResumed().then(() => send(name, priority, isLastAttempt));
	};
	return { limiter, started, send, end, reject, settle };
}

describe('after a pause', () => {
	it('one request is sent, then one more with each that succeeds', async () => {
		const { started, send, end, reject } = setUp(3);
		reject('a', 1000);
		for (const [index, name] of ['b', 'c', 'd', 'e', 'f'].entries()) send(name, index + 1);

		await jest.advanceTimersByTimeAsync(999);
		expect(started).toEqual([]);
		await jest.advanceTimersByTimeAsync(1);
		expect(started).toEqual(['a']);
		await end('a');
		expect(started).toEqual(['a', 'b', 'c']);
		await end('b');
		expect(started).toEqual(['a', 'b', 'c', 'd', 'e']);
		await end('c');
		expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
	});

	it('a request that was sent before it does not count as a success', async () => {
		const { started, send, end, reject } = setUp(3);
		send('early');
		send('rejected');
		reject('rejected', 1000);
		await end('rejected', false);
		for (const name of ['b', 'c']) send(name, 1);
		await end('early');

		await jest.advanceTimersByTimeAsync(1000);

		expect(started).toEqual(['early', 'rejected', 'rejected']);
	});

	it('no more requests than usual are sent at a time', async () => {
		const { limiter, started, send, reject } = setUp(2);
		reject('a', 1000);
		await jest.advanceTimersByTimeAsync(1000);
		for (let count = 0; count < 5; count += 1) limiter.onSuccess();
		for (const name of ['b', 'c', 'd']) send(name);
		await jest.advanceTimersByTimeAsync(0);

		expect(started).toEqual(['a', 'b']);
	});

	it('a request with attempts left goes before one on its last attempt', async () => {
		const { started, send, reject, end } = setUp(1);
		reject('last', 1000, 0, true);
		send('fresh', 9);

		await jest.advanceTimersByTimeAsync(1000);
		expect(started).toEqual(['fresh']);
		await end('fresh');
		expect(started).toEqual(['fresh', 'last']);
	});

	it('a rejected request returns to its place before one on its last attempt is sent', async () => {
		const { started, send, reject, end } = setUp(1);
		reject('rejected', 1000, 5);
		send('last', 0, true);
		await jest.advanceTimersByTimeAsync(999);
		// The clock is ahead of the timers, as on a busy machine.
		jest.setSystemTime(Date.now() + 10);
		send('later', 1, true);
		await Promise.resolve();
		expect(started).toEqual([]);

		await jest.advanceTimersByTimeAsync(1);
		expect(started).toEqual(['rejected']);
		await end('rejected', false);
		expect(started).toEqual(['rejected', 'last']);
	});

	it('a request on its last attempt is sent where no other is left', async () => {
		const { started, send, reject, end } = setUp(1);
		reject('last', 1000, 0, true);
		await jest.advanceTimersByTimeAsync(1000);
		expect(started).toEqual(['last']);
		send('next', 1, true);
		await end('last', false);
		expect(started).toEqual(['last', 'next']);
	});
});

describe('without a pause', () => {
	it.each([
		[1, 3, ['first', 'last', 'fresh']],
		[3, 1, ['first', 'fresh', 'last']],
		[2, 2, ['first', 'fresh', 'last']],
	])(
		'a request on its last attempt keeps its place (%i, the other has %i)',
		async (last, fresh, order) => {
			const { started, send, end } = setUp(1);
			send('first');
			send('fresh', fresh);
			send('last', last, true);

			for (const name of order) await end(name, false);

			expect(started).toEqual(order);
		},
	);
});

describe('the end of a request', () => {
	it('lets the next one start, also while the others run', async () => {
		const { started, send, end, settle } = setUp(2);
		for (const name of ['a', 'b', 'c', 'd']) send(name);
		await settle();
		expect(started).toEqual(['a', 'b']);

		await end('b');

		expect(started).toEqual(['a', 'b', 'c']);
	});

	it.each(['a stop', 'a cancellation'])(
		'does not let one start after %s, even if its turn came just before',
		async (how) => {
			const controller = new AbortController();
			const { limiter, started, send, settle } = setUp(1, controller.signal);
			send('a');
			if (how === 'a stop') limiter.stop(new Error('Stopped'));
			else controller.abort();

			await settle();

			expect(started).toEqual(['not a']);
		},
	);
});

describe('a delay', () => {
	it('ends after its time, however long that is', async () => {
		const { limiter } = setUp(1);
		const over: string[] = [];
		void limiter.delay(2500).then((isEarly) => over.push(isEarly ? 'early' : 'in time'));

		await jest.advanceTimersByTimeAsync(2499);
		expect(over).toEqual([]);
		await jest.advanceTimersByTimeAsync(1);
		expect(over).toEqual(['in time']);
	});

	it('ends with what it waits for, if that comes earlier', async () => {
		const { limiter } = setUp(1);
		const waiting = limiter.delay(60_000, new Promise((resolve) => setTimeout(resolve, 1500)));

		await jest.advanceTimersByTimeAsync(1500);

		expect(await waiting).toBe(true);
	});

	it('leaves no timer of more than a second behind', async () => {
		const { limiter } = setUp(1);
		const waiting = limiter.delay(3_600_000).catch(() => undefined);

		limiter.stop(new Error('Stopped'));
		await waiting;

		await jest.advanceTimersByTimeAsync(1000);
		expect(jest.getTimerCount()).toBe(0);
	});
});
