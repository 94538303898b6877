/** The bytes of a file, for a thread that asks and sleeps until the service has them. */

export const BLOCK_BYTES = 256 * 1024;
const MAX_BLOCKS = 32;

/** What both sides see: whether the block is there, and its bytes. */
export interface BlockMailbox {
	signal: Int32Array<SharedArrayBuffer>;
	bytes: Uint8Array<SharedArrayBuffer>;
}

export function createMailbox(): BlockMailbox {
	const signal = new Int32Array(new SharedArrayBuffer(4));
	const bytes = new Uint8Array(new SharedArrayBuffer(BLOCK_BYTES));
	return { signal, bytes };
}

/** Wakes the thread that waits for this block. */
export function deliver({ signal, bytes }: BlockMailbox, block: Uint8Array): void {
	bytes.set(block);
	Atomics.store(signal, 0, 1);
	Atomics.notify(signal, 0);
}

export interface FileBytes {
	readonly size: number;
	/** @throws RangeError for what is outside the file */
	read(start: number, length: number): Uint8Array;
}

export function openBytes(
	size: number,
	mailbox: BlockMailbox,
	request: (block: number) => void,
): FileBytes {
	/** The last one is the one that was used last. */
	const blocks = new Map<number, Uint8Array>();
	function getBlock(index: number): Uint8Array {
		const block = blocks.get(index) ?? fetchBlock(index);
		blocks.delete(index);
		blocks.set(index, block);
		if (blocks.size > MAX_BLOCKS) {
			const [oldest] = blocks.keys();
			blocks.delete(oldest);
		}
		return block;
	}
	function fetchBlock(index: number): Uint8Array {
		Atomics.store(mailbox.signal, 0, 0);
		request(index);
		Atomics.wait(mailbox.signal, 0, 0);
		return mailbox.bytes.slice(0, Math.min(BLOCK_BYTES, size - index * BLOCK_BYTES));
	}
	function read(start: number, length: number): Uint8Array {
		if (start + length > size) throw new RangeError('The file ends before');
		const bytes = new Uint8Array(length);
		for (let done = 0; done < length;) {
			const position = start + done;
			const offset = position % BLOCK_BYTES;
			const block = getBlock(Math.floor(position / BLOCK_BYTES));
			const part = block.subarray(offset, offset + length - done);
			bytes.set(part, done);
			done += part.length;
		}
		return bytes;
	}
	return { size, read };
}
