import fc from 'fast-check';
import { PriorityQueue } from '../../../../nodes/shared/client/priorityQueue';
import { always } from '../../support/seeded.cts';

describe('a priority queue', () => {
	it('returns entries by priority, and those of one priority in the order in which they came', async () => {
		await always(
			fc.property(
				fc.array(fc.option(fc.integer({ min: 0, max: 5 })), { maxLength: 60 }),
				(steps) => {
					const queue = new PriorityQueue<number>();
					const expected: Array<{ priority: number; order: number }> = [];
					steps.forEach((priority, order) => {
						if (priority !== null) {
							queue.add(priority, order);
							expected.push({ priority, order });
							expected.sort((a, b) => a.priority - b.priority || a.order - b.order);
						} else {
							expect(queue.take()).toBe(expected.shift()?.order);
						}
						expect(queue.size).toBe(expected.length);
						expect(queue.firstPriority).toBe(expected[0]?.priority ?? Number.POSITIVE_INFINITY);
					});
					expect(queue.takeAll().sort((a, b) => a - b)).toEqual(
						expected.map(({ order }) => order).sort((a, b) => a - b),
					);
					expect(queue.size).toBe(0);
				},
			),
			500,
		);
	});
});
