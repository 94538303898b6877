import type { FileFormat } from './formats.mts';
import { type Pixels, toNumbers } from './pixels.mts';
import { toPngRows, writePng } from './png.mts';
import type { Picture } from './tasks.mts';
import { startWebp } from './webp.mts';
import type { WasmModule } from './webAssembly.mts';

/** Bytes that differ from those before, for each pixel. A PNG has about as many, and a WebP is not much smaller. */
const MAX_CHANGES = 0.3;

export type EncodePicture = (pixels: Pixels) => Promise<Picture>;

/**
 * Pages of text and drawings become PNG: it takes a tenth of the time, and letters stay sharp.
 * What is a picture itself becomes WebP: its pixels as they are would be the original.
 */
export function createEncoder(webpModule: WasmModule, format: FileFormat): EncodePicture {
	const isDrawn = format === 'PDF' || format === 'SVG';
	let webp: ReturnType<typeof startWebp> | undefined;
	return async (pixels) => {
		const { width, height } = pixels;
		const png = isDrawn && toPngIfSmall(pixels);
		if (png) return { bytes: png, type: 'image/png', width, height };
		webp ??= startWebp(webpModule);
		const encode = await webp;
		return { bytes: encode(pixels), type: 'image/webp', width, height };
	};
}

function toPngIfSmall(pixels: Pixels): Uint8Array | undefined {
	const changes = getChanges(pixels);
	if (changes > MAX_CHANGES) return undefined;
	const rows = toPngRows(pixels);
	return changes * rows.bytesPerPixel > MAX_CHANGES ? undefined : writePng(pixels, rows);
}

/** The share of pixels that differ from the one before. */
function getChanges(pixels: Pixels): number {
	const numbers = toNumbers(pixels);
	let changes = 0;
	for (let pixel = 1; pixel < numbers.length; pixel += 1) {
		if (numbers[pixel] !== numbers[pixel - 1]) changes += 1;
	}
	return changes / numbers.length;
}
