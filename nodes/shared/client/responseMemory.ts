import type { Kept } from '../responses/memory';

/** The memory of the responses to one client. */
export class ResponseMemory {
	/** Bytes of `kept` that count until the item is done. */
	private pending = 0;

	/** @param kept what all clients of an execution keep */
	constructor(readonly kept: Kept = { bytes: 0 }) {}

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
