import { type Bitmap, createBitmap, destroyBitmap, getPixels } from './bitmap.mts';
import type { EncodePicture } from './encoding.mts';
import type { Marker } from './mark.mts';
import type { Pdfium } from './pdfium.mts';
import type { Pixels } from './pixels.mts';
import type { Picture } from './tasks.mts';

/** What all kinds of files are drawn with. */
export interface Drawing {
	pdfium: Pdfium;
	/** It takes a while, and isn't needed for a page without a mark. */
	getMarker(): Marker;
	encode: EncodePicture;
}

/** The last steps of a page: nothing is drawn over the mark. The bitmap is gone after that. */
export async function finish(
	drawing: Drawing,
	bitmap: Bitmap,
	mark: string[] | undefined,
): Promise<Picture> {
	const { pdfium, encode } = drawing;
	if (mark) drawing.getMarker().draw(bitmap, mark);
	const { width, height } = bitmap;
	const picture = await encode({ data: getPixels(pdfium, bitmap), width, height });
	destroyBitmap(pdfium, bitmap);
	return picture;
}

export async function finishPixels(
	drawing: Drawing,
	pixels: Pixels,
	mark: string[] | undefined,
): Promise<Picture> {
	if (!mark) return await drawing.encode(pixels);
	const bitmap = createBitmap(drawing.pdfium, pixels);
	getPixels(drawing.pdfium, bitmap).set(pixels.data);
	return await finish(drawing, bitmap, mark);
}
