import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ImageMagick, initializeImageMagick } from '@imagemagick/magick-wasm';
import type { FileSource } from '../../src/viewing/openDocument.mts';
import type { Picture } from '../../src/viewing/tasks.mts';
import { createViewing, type View } from '../../src/viewing/viewing.mts';

const workerFile = pathToFileURL(join(import.meta.dirname, '../../dist/viewing/worker.mjs'));

const closes: Array<() => Promise<void>> = [];
afterAll(async () => {
	for (const close of closes) await close();
});

/** Ends after the tests of the file. */
export function openViewing() {
	const viewing = createViewing({ workerFile });
	closes.push(viewing.close);
	return viewing;
}

function toSource(content: Buffer, name = 'file.pdf'): FileSource {
	const read = async (offset: number, length: number) => content.subarray(offset, offset + length);
	return { name, type: '', size: content.length, read };
}

let files = 0;

/** Of a file that nobody viewed before. */
export function toView(content: Buffer, options: Partial<View> & { name?: string } = {}): View {
	const { name, key = `file ${++files}`, client = 'anna@example.com' } = options;
	return { ...options, key, client, source: toSource(content, name) };
}

let isReady: Promise<void> | undefined;

/** ImageMagick, which also writes pictures. */
export async function startDecoder(): Promise<void> {
	isReady ??= (async () => {
		const file = createRequire(import.meta.url).resolve('@imagemagick/magick-wasm/magick.wasm');
		await initializeImageMagick(await readFile(file));
	})();
	await isReady;
}

export interface Pixels {
	width: number;
	height: number;
	/** Brightness at a place, from 0 (black) to 255. */
	at(x: number, y: number): number;
}

export async function toPixels({ bytes }: Picture): Promise<Pixels> {
	await startDecoder();
	const { data, width, height } = ImageMagick.read(bytes, (image) =>
		image.getPixels((pixels) => ({
			data: pixels.toByteArray(0, 0, image.width, image.height, 'RGBA')!,
			width: image.width,
			height: image.height,
		})),
	);
	const at = (x: number, y: number) => {
		const start = 4 * (y * width + x);
		return (data[start] + data[start + 1] + data[start + 2]) / 3;
	};
	return { width, height, at };
}

/** The share of a part of a picture that is dark, in percent. */
export function measureInk({ at, height }: Pixels, [from, to]: [from: number, to: number]): number {
	let dark = 0;
	for (let x = from; x < to; x += 1) {
		for (let y = 0; y < height; y += 1) dark += at(x, y) < 128 ? 1 : 0;
	}
	return (100 * dark) / ((to - from) * height);
}
