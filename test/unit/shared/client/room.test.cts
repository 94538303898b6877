import { Room } from '../../../../nodes/shared/client/room';

const MB = 1_000_000;
const { signal } = new AbortController();
const nextTurn = async () => await new Promise((resolve) => setImmediate(resolve));

describe('room for large responses', () => {
	it('is for as many as fit, and then for the next in their order', async () => {
		const rooms = [100, 50, 40, 10].map((size) => ({ room: new Room('https://a.example'), size }));
		const entered: number[] = [];
		const all = rooms.map(async ({ room, size }) => {
			expect(await room.take(size * MB, signal)).toBe(true);
			entered.push(size);
		});
		await nextTurn();
		expect(entered).toEqual([100, 50]);

		// A small one does not overtake those before it.
		rooms[1].room.leave();
		await nextTurn();
		expect(entered).toEqual([100, 50, 40, 10]);

		for (const { room } of rooms) room.leave();
		await Promise.all(all);
	});

	it('is not held up by another service', async () => {
		const [slow, other] = ['a', 'b'].map((name) => new Room(`https://${name}.example`));

		expect(await slow.take(150 * MB, signal)).toBe(true);
		expect(await other.take(150 * MB, signal)).toBe(true);
		for (const room of [slow, other]) room.leave();
	});

	it('is not kept by one that gave up, or that leaves twice', async () => {
		const [first, second, third] = [
			new Room('https://a.example'),
			new Room('https://a.example'),
			new Room('https://a.example'),
		];
		await first.take(150 * MB, signal);
		const ending = new AbortController();
		const waiting = second.take(150 * MB, ending.signal);
		ending.abort(new Error('canceled'));
		await expect(waiting).rejects.toThrow('canceled');
		second.leave();
		first.leave();
		first.leave();
		second.leave();

		expect(await third.take(150 * MB, signal)).toBe(true);
		const fourth = new Room('https://a.example');
		const last = fourth.take(1, signal);
		await nextTurn();
		third.leave();
		expect(await last).toBe(true);
		fourth.leave();
	});

	describe('that others do not leave', () => {
		beforeEach(() => jest.useFakeTimers());
		afterEach(() => jest.useRealTimers());

		it('is waited for during half a minute', async () => {
			const [first, second] = [new Room('https://a.example'), new Room('https://a.example')];
			await first.take(150 * MB, signal);
			const waiting = second.take(1, signal);
			await jest.advanceTimersByTimeAsync(31_000);
			expect(await waiting).toBe(false);
			first.leave();
			second.leave();
		});
	});
});
