import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { findFontFile, type FontName } from './fontFiles.mts';
import { allocate, type Pdfium, viewMemory } from './pdfium.mts';

/** By the number that PDFium gives to what is written with them. It brings along fonts for Latin letters only. */
const FONTS = new Map<number, FontName>([
	[128, 'japanese'],
	[129, 'korean'],
	[134, 'simplifiedChinese'],
	[136, 'traditionalChinese'],
]);
const VERSION = 1;
/** In the order of FPDF_SYSFONTINFO, behind its version. What is missing is 0. */
const FUNCTIONS = 8;
const MAP_FONT = 2;
const GET_FONT_DATA = 4;
const GET_FACE_NAME = 5;

/** Gives PDFium fonts for documents that don't contain their own. It names a font by the number that it is found by. */
export function addOutsideFonts(pdfium: Pdfium): void {
	const mapFont = pdfium.addFunction(
		(...[, , , number]) => (FONTS.has(number) ? number : 0),
		'iiiiiiii',
	);
	const getFontData = pdfium.addFunction((_, number, table, target, length) => {
		// A part of the file is asked for only where it has more than one font.
		return table === 0 ? readFont(pdfium, FONTS.get(number)!, { target, length }) : 0;
	}, 'iiiiii');
	// Fonts with the same name are the same one to it.
	const getFaceName = pdfium.addFunction((_, number, target, length) => {
		const name = Buffer.from(`${FONTS.get(number)}\0`);
		if (name.length <= length) pdfium.HEAPU8.set(name, target >>> 0);
		return name.length;
	}, 'iiiii');
	const info = allocate(pdfium, 4 * (1 + FUNCTIONS));
	const set = (place: number, value: number) =>
		viewMemory(pdfium).setUint32(info + 4 * place, value, true);
	for (let place = 1; place <= FUNCTIONS; place += 1) set(place, 0);
	set(0, VERSION);
	set(1 + MAP_FONT, mapFont);
	set(1 + GET_FONT_DATA, getFontData);
	set(1 + GET_FACE_NAME, getFaceName);
	pdfium._FPDF_SetSystemFontInfo(info);
}

/** @returns its size. It is read where there is room for all of it. */
function readFont(
	{ HEAPU8 }: Pdfium,
	name: FontName,
	{ target, length }: { target: number; length: number },
): number {
	const file = findFontFile(name);
	const { size } = statSync(file);
	if (size > length >>> 0) return size;
	const descriptor = openSync(file, 'r');
	try {
		return readSync(descriptor, HEAPU8, target >>> 0, size, 0);
	} finally {
		closeSync(descriptor);
	}
}
