import type { Pdfium } from './pdfium.mts';

const RENDER_INVISIBLE = 3;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * Whether letters of a page aren't drawn: the document doesn't contain their font, and PDFium's own fonts don't have
 * them.
 * @param text the characters of the page, as PDFium found them
 */
export function lacksGlyphs(pdfium: Pdfium, text: number, count: number): boolean {
	const checked = new Set<string>();
	for (let index = 0; index < count; index += 1) {
		const font = findOutsideFont(pdfium, pdfium._FPDFText_GetTextObject(text, index));
		const character = pdfium._FPDFText_GetUnicode(text, index);
		const key = `${font} ${character}`;
		if (font === 0 || checked.has(key)) continue;
		checked.add(key);
		const isLetter = LETTER.test(String.fromCodePoint(character));
		if (isLetter && pdfium._FPDFFont_GetGlyphPath(font, character, 1) === 0) return true;
	}
	return false;
}

/** @returns 0 where the font is in the document, or nothing is to be seen, as over a page that was scanned */
function findOutsideFont(pdfium: Pdfium, object: number): number {
	if (object === 0) return 0;
	if (pdfium._FPDFTextObj_GetTextRenderMode(object) === RENDER_INVISIBLE) return 0;
	const font = pdfium._FPDFTextObj_GetFont(object);
	return font !== 0 && pdfium._FPDFFont_GetIsEmbedded(font) === 0 ? font : 0;
}
