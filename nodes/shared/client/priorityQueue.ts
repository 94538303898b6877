interface Entry<T> {
	priority: number;
	/** Keeps entries of one priority in the order in which they came. */
	order: number;
	value: T;
}

/** A queue that returns the entry of the lowest priority first: a binary heap, so that 100,000 entries cost little. */
export class PriorityQueue<T> {
	private readonly heap: Array<Entry<T>> = [];

	private added = 0;

	get size(): number {
		return this.heap.length;
	}

	/** The priority of the first entry, or Infinity when there is none. */
	get firstPriority(): number {
		return this.heap[0]?.priority ?? Number.POSITIVE_INFINITY;
	}

	add(priority: number, value: T): void {
		this.added += 1;
		const entry = { priority, order: this.added, value };
		let index = this.heap.push(entry) - 1;
		while (index > 0) {
			const parent = (index - 1) >> 1;
			if (!isBefore(entry, this.heap[parent])) break;
			this.heap[index] = this.heap[parent];
			index = parent;
		}
		this.heap[index] = entry;
	}

	/** Removes the first entry. */
	take(): T | undefined {
		const first = this.heap[0];
		const last = this.heap.pop();
		if (last !== undefined && last !== first) this.sink(last);
		return first?.value;
	}

	/** Removes all entries, in no particular order. */
	takeAll(): T[] {
		return this.heap.splice(0).map(({ value }) => value);
	}

	private sink(entry: Entry<T>): void {
		const { heap } = this;
		let index = 0;
		for (let child = 1; child < heap.length; child = 2 * index + 1) {
			if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
			if (!isBefore(heap[child], entry)) break;
			heap[index] = heap[child];
			index = child;
		}
		heap[index] = entry;
	}
}

function isBefore<T>(one: Entry<T>, other: Entry<T>): boolean {
	return (
		one.priority < other.priority || (one.priority === other.priority && one.order < other.order)
	);
}
