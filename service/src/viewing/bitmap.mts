import type { Pdfium } from './pdfium.mts';

/** Blue, green, red, opacity. */
const FORMAT_BGRA = 4;
const WHITE = 0xffffffff;

/** A picture in PDFium's memory, as it draws it: red, green, blue, opacity. */
export interface Bitmap {
	handle: number;
	width: number;
	height: number;
}

export interface Shape {
	width: number;
	height: number;
}

export function createBitmap(pdfium: Pdfium, { width, height }: Shape): Bitmap {
	const handle = pdfium._FPDFBitmap_CreateEx(width, height, FORMAT_BGRA, 0, 0);
	if (handle === 0) throw new RangeError('PDFium has no memory left');
	pdfium._FPDFBitmap_FillRect(handle, 0, 0, width, height, WHITE);
	return { handle, width, height };
}

/** A view: it is valid until PDFium is called again. */
export function getPixels(pdfium: Pdfium, { handle, width, height }: Bitmap): Uint8ClampedArray {
	const start = pdfium._FPDFBitmap_GetBuffer(handle);
	return new Uint8ClampedArray(pdfium.HEAPU8.buffer, start, 4 * width * height);
}

export const destroyBitmap = (pdfium: Pdfium, { handle }: Bitmap) =>
	pdfium._FPDFBitmap_Destroy(handle);
