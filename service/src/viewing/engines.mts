import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { findFontFile } from './fontFiles.mts';
import type { FileFormat } from './formats.mts';
import { compileWithLimit, type WasmModule } from './webAssembly.mts';

const MAX_BYTES = 512 * 1024 * 1024;

/** What a thread draws with. It is compiled once; each thread has a memory of its own. */
export interface Engines {
	pdfium: WasmModule;
	webp: WasmModule;
	/** What reads the files of its format; nothing where PDFium does. */
	ofFormat?: WasmModule;
	font: Uint8Array<SharedArrayBuffer>;
}

export type LoadEngines = (format: FileFormat) => Promise<Engines>;

/** Each is loaded when it is needed first. */
export function createEngineLoader(): LoadEngines {
	const { resolve } = createRequire(import.meta.url);
	const load = loadOnce((name: string) => compileWithLimit(resolve(name), MAX_BYTES));
	const loadFont = loadOnce(readShared);

	return async (format) => {
		const [pdfium, webp, ofFormat, shared] = await Promise.all([
			load('@embedpdf/pdfium/pdfium.wasm'),
			load('@jsquash/webp/codec/enc/webp_enc_simd.wasm'),
			loadOfFormat(format),
			loadFont(findFontFile('others')),
		]);
		return { pdfium, webp, ofFormat, font: shared };
	};

	async function loadOfFormat(format: FileFormat): Promise<WasmModule | undefined> {
		if (format === 'PDF') return undefined;
		if (format === 'SVG') return await load('@resvg/resvg-wasm/index_bg.wasm');
		return await load('@imagemagick/magick-wasm/magick.wasm');
	}
}

/** Keeps what was loaded. What failed is tried again when it is needed next. */
function loadOnce<Value>(load: (name: string) => Promise<Value>) {
	const kept = new Map<string, Promise<Value>>();
	return async (name: string): Promise<Value> => {
		const value = kept.get(name) ?? load(name);
		kept.set(name, value);
		return await value.catch((error) => {
			kept.delete(name);
			throw error;
		});
	};
}

async function readShared(file: string): Promise<Uint8Array<SharedArrayBuffer>> {
	const content = await readFile(file);
	const shared = new Uint8Array(new SharedArrayBuffer(content.length));
	shared.set(content);
	return shared;
}
