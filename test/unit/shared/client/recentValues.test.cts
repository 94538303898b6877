import { RecentValues } from '../../../../nodes/shared/client/recentValues';

describe('what this process knows for a while', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it('expires', () => {
		const values = new RecentValues<number>(1000);
		values.set('a', 1);
		jest.advanceTimersByTime(600);
		values.set('b', 2);
		jest.advanceTimersByTime(600);

		expect(['a', 'b'].map((key) => values.get(key))).toEqual([undefined, 2]);
	});

	it('is dropped, the oldest first, where all take more than 50 MB', () => {
		const values = new RecentValues<number>(1000);
		for (const key of ['a', 'b', 'a', 'c']) values.set(key, 1, 20_000_000);

		expect(['a', 'b', 'c'].map((key) => values.get(key))).toEqual([1, undefined, 1]);
	});

	it('takes no memory any more when it is replaced or deleted', () => {
		const values = new RecentValues<number>(1000);
		values.set('a', 1);
		for (let time = 0; time < 10; time += 1) values.set('b', time, 20_000_000);
		values.delete('b');
		values.set('c', 3, 40_000_000);

		expect(['a', 'b', 'c'].map((key) => values.get(key))).toEqual([1, undefined, 3]);
	});
});
