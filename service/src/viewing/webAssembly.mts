import { readFile } from 'node:fs/promises';

/** A compiled file. Threads share it. */
export interface WasmModule {
	readonly [Symbol.toStringTag]: 'WebAssembly.Module';
}

declare global {
	/** What Node.js has, and TypeScript knows of browsers only. */
	const WebAssembly: {
		compile(bytes: Uint8Array): Promise<WasmModule>;
		Instance: new (module: WasmModule, imports: object) => object;
		RuntimeError: new () => Error;
	};
}

/** Memory grows in pages of this size. */
const PAGE_BYTES = 64 * 1024;
const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;

/** Compiles a file so that its memory never gets larger than `maxBytes`: to get more fails inside. */
export async function compileWithLimit(file: string, maxBytes: number) {
	const wasm = await readFile(file);
	return await WebAssembly.compile(limitMemory(wasm, maxBytes / PAGE_BYTES));
}

/** No engine takes a limit as an option, but each has a place for it in its file. */
function limitMemory(wasm: Buffer, maxPages: number): Buffer {
	let start = HEADER_BYTES;
	for (;;) {
		const size = readNumber(wasm, start + 1);
		const end = size.end + size.value;
		if (wasm[start] === MEMORY_SECTION) {
			// Behind the count of memories (one) and the flag that says whether a maximum follows.
			const minimum = readNumber(wasm, size.end + 2);
			const content = [1, 1, ...encodeNumber(minimum.value), ...encodeNumber(maxPages)];
			const section = Buffer.from([MEMORY_SECTION, ...encodeNumber(content.length), ...content]);
			return Buffer.concat([wasm.subarray(0, start), section, wasm.subarray(end)]);
		}
		start = end;
	}
}

/** A number as WebAssembly writes it (LEB128): seven bits a byte, the lowest first. */
function readNumber(bytes: Uint8Array, start: number) {
	let end = start;
	let value = 0;
	for (let factor = 1; ; factor *= 128) {
		const byte = bytes[end++];
		value += (byte % 128) * factor;
		if (byte < 128) return { value, end };
	}
}

function encodeNumber(value: number): number[] {
	return value < 128 ? [value] : [(value % 128) + 128, ...encodeNumber(Math.floor(value / 128))];
}
