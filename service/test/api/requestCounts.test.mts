import { RequestCounts } from '../../src/api/requestCounts.mts';

const MINUTE = 60_000;

describe('the requests of an API key', () => {
	beforeEach(() => void jest.useFakeTimers({ now: 1_000_000 }));
	afterEach(() => void jest.useRealTimers());

	const count = (counts: RequestCounts, keyId = 'one') => {
		const done = jest.fn<void, [Error | null, { current: number; ttl: number }]>();
		counts.incr(keyId, done, MINUTE);
		const [error, counted] = done.mock.calls[0];
		expect(error).toBeNull();
		return counted;
	};

	it('are counted for a minute, and then anew', () => {
		const counts = new RequestCounts();
		expect(count(counts)).toEqual({ current: 1, ttl: MINUTE });
		jest.advanceTimersByTime(MINUTE - 1);
		expect(count(counts)).toEqual({ current: 2, ttl: 1 });
		expect(count(counts, 'other')).toEqual({ current: 1, ttl: MINUTE });
		jest.advanceTimersByTime(1);
		expect(count(counts)).toEqual({ current: 1, ttl: MINUTE });
	});

	it('are one less where one was a wait, but not in a minute that began after it', () => {
		const counts = new RequestCounts();
		count(counts);
		counts.takeBack('one', Date.now());
		expect(count(counts).current).toBe(1);
		const sentAt = Date.now();
		jest.advanceTimersByTime(MINUTE);
		count(counts);
		counts.takeBack('one', sentAt);
		counts.takeBack('unknown', sentAt);
		expect(count(counts).current).toBe(2);
	});
});
