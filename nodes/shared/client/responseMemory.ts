import type { Kept } from '../responses/memory';

/** Bytes that each item can keep beside: the user asked for so many. */
export const ITEM_MEMORY = 100_000;

/** The memory of the responses to one client. */
export class ResponseMemory {
	/** Bytes of `kept` that count until the item is done. */
	private pending = 0;

	/**
	 * @param kept what all clients of an execution keep
	 * @param free bytes that don't count
	 */
	constructor(
		readonly kept: Kept = { bytes: 0 },
		free = 0,
	) {
		kept.bytes -= free;
	}

	/** Counts so much memory no more. */
	release(bytes: number): void {
		this.pending -= bytes;
		this.kept.bytes -= bytes;
	}

	/** Counts so much memory also when the item is done. */
	keep(bytes: number): void {
		this.pending -= bytes;
	}

	/** Of an item that is done, only its output counts. */
	settle(outputBytes: number): void {
		this.release(this.pending);
		this.kept.bytes += outputBytes;
	}
}
