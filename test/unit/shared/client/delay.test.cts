import { delay } from '../../../../nodes/shared/client/delay';
import { takeBreak } from '../../../../nodes/shared/client/takeBreak';

describe('a delay', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	/** Milliseconds after which a delay ends, and its result or the message of its error. */
	async function measure(
		milliseconds: number,
		{ abortAfter = Number.NaN, overAfter = Number.NaN, isAborted = false },
	) {
		const controller = new AbortController();
		if (isAborted) controller.abort(new Error('aborted'));
		const until = Number.isNaN(overAfter)
			? undefined
			: new Promise((resolve) => setTimeout(resolve, overAfter));
		if (abortAfter >= 0) setTimeout(() => controller.abort(new Error('aborted')), abortAfter);
		const startedAt = Date.now();
		const waiting = delay(milliseconds, controller.signal, until).then(
			(isOver) => [Date.now() - startedAt, isOver],
			(error: Error) => [Date.now() - startedAt, error.message],
		);
		await jest.advanceTimersByTimeAsync(milliseconds + 2000);
		return await waiting;
	}

	it.each<[number, Parameters<typeof measure>[1], [number, unknown]]>([
		[2500, {}, [2500, false]],
		[1000, {}, [1000, false]],
		[0, {}, [expect.any(Number), false]],
		[-5, {}, [expect.any(Number), false]],
		[60_000, { overAfter: 1500 }, [1500, true]],
		[1000, { overAfter: 1500 }, [1000, false]],
		[60_000, { abortAfter: 1500 }, [1500, 'aborted']],
		[60_000, { abortAfter: 1500, overAfter: 1600 }, [1500, 'aborted']],
		[60_000, { isAborted: true }, [0, 'aborted']],
	])('of %i ms with %j ends after %j', async (milliseconds, events, expected) => {
		expect(await measure(milliseconds, events)).toEqual(expected);
	});

	it('leaves no listener and no timer of more than a second behind', async () => {
		const controller = new AbortController();
		const add = jest.spyOn(controller.signal, 'addEventListener');
		const remove = jest.spyOn(controller.signal, 'removeEventListener');
		await Promise.all([
			delay(3_600_000, controller.signal, Promise.resolve()),
			jest.advanceTimersByTimeAsync(1000),
		]);

		expect(jest.getTimerCount()).toBe(0);
		expect(remove.mock.calls).toEqual(add.mock.calls);
	});
});

describe('a break of long work', () => {
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
