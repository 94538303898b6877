import { crc32, deflateSync } from 'node:zlib';
import { type Pixels, toNumbers } from './pixels.mts';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const TYPE_RGB = 2;
const TYPE_PALETTE = 3;
const MAX_COLORS = 256;
/** Spreads numbers that are similar. */
const HASH_FACTOR = 0x9e3779b1;
const SLOT_BITS = 10;
/** A higher one takes twice the time for a file that is 10 % smaller. */
const LEVEL = 3;

/** The rows of a picture. A zero before each says that its bytes are as they are. */
export interface PngRows {
	bytesPerPixel: 1 | 3;
	bytes: Uint8Array;
	/** Red, green and blue of each color, where the bytes are their numbers. */
	palette?: Uint8Array;
}

/** Opacity is left out. */
export const toPngRows = (pixels: Pixels): PngRows => toIndexed(pixels) ?? toRgb(pixels);

function toIndexed(pixels: Pixels): PngRows | undefined {
	const { width, height } = pixels;
	const numbers = toNumbers(pixels);
	const bytes = new Uint8Array(height * (width + 1));
	const colors = new ColorTable();
	let index = 0;
	for (let pixel = 0, row = 1; row <= height; row += 1) {
		for (const end = row * width; pixel < end; pixel += 1) {
			// Most are like the one before.
			if (pixel === 0 || numbers[pixel] !== numbers[pixel - 1]) {
				index = colors.getIndex(numbers[pixel]);
				if (index === MAX_COLORS) return undefined;
			}
			bytes[pixel + row] = index;
		}
	}
	return { bytesPerPixel: 1, bytes, palette: colors.toPalette() };
}

function toRgb({ data, width, height }: Pixels): PngRows {
	const bytes = new Uint8Array(height * (3 * width + 1));
	for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
		if (from % (4 * width) === 0) to += 1;
		bytes[to] = data[from];
		bytes[to + 1] = data[from + 1];
		bytes[to + 2] = data[from + 2];
	}
	return { bytesPerPixel: 3, bytes };
}

/** Colors by the order in which they come. A Map takes twice the time. */
class ColorTable {
	private readonly colors = new Int32Array(MAX_COLORS + 1);
	private readonly slots = new Int16Array(2 ** SLOT_BITS).fill(-1);
	private count = 0;

	getIndex(color: number): number {
		let slot = Math.imul(color, HASH_FACTOR) >>> (32 - SLOT_BITS);
		for (;;) {
			const index = this.slots[slot];
			if (index < 0) return this.add(color, slot);
			if (this.colors[index] === color) return index;
			slot = (slot + 1) % this.slots.length;
		}
	}

	/** Red, green and blue of each. */
	toPalette(): Uint8Array {
		const bytes = new Uint8Array(this.colors.buffer, 0, 4 * this.count);
		return bytes.filter((_, position) => position % 4 < 3);
	}

	private add(color: number, slot: number): number {
		this.slots[slot] = this.count;
		this.colors[this.count] = color;
		return this.count++;
	}
}

/** https://www.w3.org/TR/png */
export function writePng({ width, height }: Pixels, { bytes, palette }: PngRows): Uint8Array {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header[8] = 8;
	header[9] = palette ? TYPE_PALETTE : TYPE_RGB;
	const file = Buffer.concat([
		SIGNATURE,
		toChunk('IHDR', header),
		palette ? toChunk('PLTE', palette) : Buffer.alloc(0),
		toChunk('IDAT', deflateSync(bytes, { level: LEVEL })),
		toChunk('IEND', Buffer.alloc(0)),
	]);
	// Small buffers of Node.js share their memory, and can't be given away.
	return Uint8Array.from(file);
}

function toChunk(type: string, content: Uint8Array): Buffer {
	const chunk = Buffer.alloc(content.length + 12);
	chunk.writeUInt32BE(content.length, 0);
	chunk.write(type, 4, 'latin1');
	chunk.set(content, 8);
	chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), content.length + 8);
	return chunk;
}
