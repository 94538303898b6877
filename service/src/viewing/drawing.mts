import { type Bitmap, createBitmap, destroyBitmap, getPixels } from './bitmap.mts';
import type { Marker } from './mark.mts';
import type { Pdfium } from './pdfium.mts';
import type { Picture } from './tasks.mts';
import type { EncodePicture, Pixels } from './webp.mts';

/** What all kinds of files are drawn with. */
export interface Drawing {
	pdfium: Pdfium;
	/** It takes a while, and isn't needed for a page without a mark. */
	getMarker(): Marker;
	encode: EncodePicture;
}

/** The last steps of a page: nothing is drawn over the mark. The bitmap is gone after that. */
export function finish(drawing: Drawing, bitmap: Bitmap, mark: string[] | undefined): Picture {
	const { pdfium, encode } = drawing;
	if (mark) drawing.getMarker().draw(bitmap, mark);
	const { width, height } = bitmap;
	const picture = encode({ data: getPixels(pdfium, bitmap), width, height });
	destroyBitmap(pdfium, bitmap);
	return picture;
}

export function finishPixels(
	drawing: Drawing,
	pixels: Pixels,
	mark: string[] | undefined,
): Picture {
	if (!mark) return drawing.encode(pixels);
	const bitmap = createBitmap(drawing.pdfium, pixels);
	getPixels(drawing.pdfium, bitmap).set(pixels.data);
	return finish(drawing, bitmap, mark);
}
