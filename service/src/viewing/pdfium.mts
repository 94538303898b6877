import { init } from '@embedpdf/pdfium';
import type { WasmModule } from './webAssembly.mts';

/** The functions of PDFium, by their names in C. Pointers are numbers. */
type PdfiumFunctions = Record<
	`_FPDF${string}` | `_PDFiumExt_${string}`,
	(...values: number[]) => number
>;

export interface Pdfium extends PdfiumFunctions {
	addFunction(implementation: (...values: number[]) => number, signature: string): number;
	wasmExports: { malloc(bytes: number): number; free(pointer: number): void };
	HEAPU8: Uint8Array;
}

/** It has no file and no address that it could open: what it reads are the bytes that it is given. */
export async function startPdfium(module: WasmModule): Promise<Pdfium> {
	const { pdfium } = await init({
		instantiateWasm(imports: object, done: (instance: unknown, module: unknown) => void) {
			queueMicrotask(() => done(new WebAssembly.Instance(module, imports), module));
			return {};
		},
	} as never);
	const started = pdfium as unknown as Pdfium;
	started._FPDF_InitLibrary();
	return started;
}

/** Its memory moves when it grows: a view is asked for anew after each call. */
export const viewMemory = ({ HEAPU8 }: Pdfium) => new DataView(HEAPU8.buffer);

export function allocate(pdfium: Pdfium, bytes: number): number {
	const pointer = pdfium.wasmExports.malloc(bytes);
	if (pointer === 0) throw new RangeError('PDFium has no memory left');
	return pointer;
}

/** @param use gets room for so many bytes, until it returns */
export function withBytes<Value>(pdfium: Pdfium, bytes: number, use: (pointer: number) => Value) {
	const pointer = allocate(pdfium, bytes);
	try {
		return use(pointer);
	} finally {
		pdfium.wasmExports.free(pointer);
	}
}

/** @param use gets the text as PDFium takes it: UTF-16, with a zero at the end */
export function withText<Value>(pdfium: Pdfium, text: string, use: (pointer: number) => Value) {
	const bytes = Buffer.from(`${text}\0`, 'utf16le');
	return withBytes(pdfium, bytes.length, (pointer) => {
		pdfium.HEAPU8.set(bytes, pointer);
		return use(pointer);
	});
}

export function readUtf16(pdfium: Pdfium, pointer: number, characters: number): string {
	const end = pointer + 2 * characters;
	return Buffer.from(pdfium.HEAPU8.slice(pointer, end)).toString('utf16le').toWellFormed();
}
