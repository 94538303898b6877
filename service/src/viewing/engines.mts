import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { compileWithLimit, type WasmModule } from './webAssembly.mts';

const MAX_BYTES = 512 * 1024 * 1024;

/** What threads draw with. It is compiled once; each thread has a memory of its own. */
export interface Engines {
	pdfium: WasmModule;
	webp: WasmModule;
	font: Uint8Array<SharedArrayBuffer>;
}

export async function loadEngines(): Promise<Engines> {
	const { resolve } = createRequire(import.meta.url);
	const [pdfium, webp, font] = await Promise.all([
		compileWithLimit(resolve('@embedpdf/pdfium/pdfium.wasm'), MAX_BYTES),
		compileWithLimit(resolve('@jsquash/webp/codec/enc/webp_enc_simd.wasm'), MAX_BYTES),
		readFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
	]);
	const shared = new Uint8Array(new SharedArrayBuffer(font.length));
	shared.set(font);
	return { pdfium, webp, font: shared };
}
