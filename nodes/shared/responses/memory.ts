import { OperationalError, type IDataObject } from 'n8n-workflow';

import { isObject } from './shapes';

/** What values take in memory, in bytes and rather too much: an object or list, an entry, a field, a byte of text. */
export const HOLDER_MEMORY = 56;
export const ENTRY_MEMORY = 20;
export const FIELD_MEMORY = 8;
export const TEXT_MEMORY = 2;
/** What a text takes beside its bytes. */
const TEXT_HOLDER_MEMORY = 40;

/** Bytes that one execution, poll or picker can keep of the responses; and what each item can keep beside. */
export const MAX_KEPT = 150_000_000;
export const ITEM_MEMORY = 30_000;

/** A smaller response is always read: it can be the one to a change. */
const SMALL = 2000;

/** What n8n needs to save the output, by measurements: for each item, and as a multiple of the values. */
const OUTPUT_ITEM_MEMORY = 580;
const OUTPUT_FACTOR = 1.3;

export class ResponseMemory {
	/** Bytes of `kept` that count until the item is done. */
	private pending = 0;

	/** @param kept of what the service sent, by an execution, a poll or a picker; `ownMemory` bytes don't count */
	constructor(
		private readonly kept = { bytes: 0 },
		ownMemory = 0,
	) {
		kept.bytes -= ownMemory;
	}

	get free(): number {
		return Math.max(SMALL, MAX_KEPT - this.kept.bytes);
	}

	add(bytes: number): void {
		this.pending += bytes;
		this.kept.bytes += bytes;
	}

	/** What counts now also counts when the item is done. */
	keep(): void {
		this.pending = 0;
	}

	/** Of an item that is done, only its output counts. @throws OperationalError for what is read, and too large to save */
	async settle(output: IDataObject[], isRead = true, takeBreak?: () => Promise<void>) {
		let bytes = 0;
		for (const record of output) {
			bytes += OUTPUT_ITEM_MEMORY + estimateMemory(record) * OUTPUT_FACTOR;
			await takeBreak?.();
		}
		this.add(-this.pending);
		if (isRead && bytes > this.free) {
			throw new OperationalError('The node would return more data than n8n can handle', {
				description:
					'n8n would need more than 300 MB of memory to save the records of all items together. Return fewer: turn off "Return All", filter the list, or start an execution for each part of the items.',
			});
		}
		this.kept.bytes += bytes;
	}
}

export function estimateMemory(value: unknown): number {
	if (typeof value === 'string') return TEXT_HOLDER_MEMORY + value.length * TEXT_MEMORY;
	if (!isObject(value)) return 0;
	const held = Object.values(value);
	const own = HOLDER_MEMORY + held.length * (ENTRY_MEMORY + FIELD_MEMORY);
	return held.reduce<number>((bytes, entry) => bytes + estimateMemory(entry), own);
}
