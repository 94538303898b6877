import { createHash } from 'node:crypto';
import type { Bitmap } from './bitmap.mts';
import { readFontCharacters } from './fontCharacters.mts';
import { toMarkRows } from './markText.mts';
import { allocate, type Pdfium, viewMemory, withBytes, withText } from './pdfium.mts';

// A page is covered with cells of a fixed grid, under a grey veil. Each cell has places one under another, and the
// mark stands in one of them: which one follows from its words, cell by cell. Whoever lays the pages of two
// recipients over each other, keeping the lighter or the darker of two pixels, therefore finds both marks side
// by side in most cells, light on the veil or dark, and no gaps that undo each other.

/** In units of the mark's own. */
const PLACE_WIDTH = 300;
const PLACE_HEIGHT = 52;
const PLACES = 3;
const COLUMNS = 3;
/** A picture that is smaller gets fewer columns. */
const MIN_CELL_PIXELS = 240;

const ROW_HEIGHT = 16;
/** Of the height of its row. */
const FONT_SIZE = 0.75;
const PADDING = 10;
const TRUETYPE = 2;
/** A face has these characters, or each of the font: that takes far longer. */
const PLAIN = /^[ -~]*$/;
type Face = 'plain' | 'all';
const DRAW_FLAGS = 0x10;
const FILL_WINDING = 2;

type Color = [red: number, green: number, blue: number, opacity: number];
const VEIL: Color = [128, 128, 128, 36];
/** On light pages the first is read, on dark ones the second. */
const DARK: Color = [0, 0, 0, 120];
const LIGHT: Color = [255, 255, 255, 150];

export class Marker {
	private readonly document: number;
	/** Pointers, of those that were needed. */
	private readonly faces: Partial<Record<Face, number>> = {};
	private readonly veil: number;
	private readonly hasCharacter: (character: string) => boolean;

	constructor(
		private readonly pdfium: Pdfium,
		private readonly font: Uint8Array,
	) {
		this.document = pdfium._FPDF_CreateNewDocument();
		this.veil = createVeil(pdfium, this.document);
		this.hasCharacter = readFontCharacters(font);
	}

	draw({ handle, width, height }: Bitmap, lines: string[]): void {
		const { pdfium } = this;
		pdfium._FPDF_RenderPageBitmap(handle, this.veil, 0, 0, width, height, 0, DRAW_FLAGS);
		const text = this.createText(lines);
		for (const place of choosePlaces({ width, height }, lines)) {
			const { x, y, width: right, height: down } = place;
			pdfium._FPDF_RenderPageBitmap(handle, text, x, y, right, down, 0, DRAW_FLAGS);
		}
		pdfium._FPDF_ClosePage(text);
		pdfium._FPDFPage_Delete(this.document, 1);
	}

	/** As high as its rows; it is drawn as high as its place. */
	private createText(lines: string[]): number {
		const rows = lines.flatMap((line) => toMarkRows(line, this.hasCharacter));
		const height = Math.max(PLACE_HEIGHT, (rows.length + 0.25) * ROW_HEIGHT);
		const page = this.pdfium._FPDFPage_New(this.document, 1, PLACE_WIDTH, height);
		for (const [index, row] of rows.entries()) {
			const y = height - (index + 1) * ROW_HEIGHT;
			this.addText(page, row, { x: PADDING, y, color: DARK });
			this.addText(page, row, { x: PADDING + 1, y: y - 1, color: LIGHT });
		}
		this.pdfium._FPDFPage_GenerateContent(page);
		return page;
	}

	private addText(page: number, text: string, place: { x: number; y: number; color: Color }) {
		const { pdfium } = this;
		const size = ROW_HEIGHT * FONT_SIZE;
		const face = this.getFace(PLAIN.test(text) ? 'plain' : 'all');
		const object = pdfium._FPDFPageObj_CreateTextObj(this.document, face, size);
		withText(pdfium, text, (pointer) => pdfium._FPDFText_SetText(object, pointer));
		pdfium._FPDFPageObj_SetFillColor(object, ...place.color);
		const room = PLACE_WIDTH - 2 * PADDING;
		const narrower = Math.min(1, room / Math.max(measure(pdfium, object), 1));
		pdfium._FPDFPageObj_Transform(object, narrower, 0, 0, 1, place.x, place.y);
		pdfium._FPDFPage_InsertObject(page, object);
	}

	private getFace(face: Face): number {
		return (this.faces[face] ??= loadFont(this.pdfium, this.document, { font: this.font, face }));
	}
}

function loadFont(
	pdfium: Pdfium,
	document: number,
	{ font, face }: { font: Uint8Array; face: Face },
): number {
	const bytes = allocate(pdfium, font.length);
	pdfium.HEAPU8.set(font, bytes);
	const isComposite = face === 'all' ? 1 : 0;
	const loaded = pdfium._FPDFText_LoadFont(document, bytes, font.length, TRUETYPE, isComposite);
	if (loaded === 0) throw new RangeError('PDFium has no memory left');
	return loaded;
}

function createVeil(pdfium: Pdfium, document: number): number {
	const page = pdfium._FPDFPage_New(document, 0, 1, 1);
	const object = pdfium._FPDFPageObj_CreateNewRect(0, 0, 1, 1);
	pdfium._FPDFPageObj_SetFillColor(object, ...VEIL);
	pdfium._FPDFPath_SetDrawMode(object, FILL_WINDING, 0);
	pdfium._FPDFPage_InsertObject(page, object);
	pdfium._FPDFPage_GenerateContent(page);
	return page;
}

/** One place in each cell, in pixels. All places are inside the picture, also in one that is wide and low. */
function choosePlaces({ width, height }: { width: number; height: number }, lines: string[]) {
	const columns = Math.max(1, Math.min(COLUMNS, Math.floor(width / MIN_CELL_PIXELS)));
	const right = width / columns;
	const down = Math.min((right * PLACE_HEIGHT) / PLACE_WIDTH, height);
	const placesDown = Math.floor(height / down);
	const rows = Math.ceil(placesDown / PLACES);
	const choices = createHash('sha256').update(lines.join('\n')).digest();
	return Array.from({ length: columns * rows }, (_, cell) => {
		const first = Math.floor(cell / columns) * PLACES;
		const count = Math.min(PLACES, placesDown - first);
		const place = first + (choices[cell % choices.length] % count);
		return {
			x: Math.floor((cell % columns) * right),
			y: Math.floor(place * down),
			width: Math.ceil(right),
			height: Math.ceil(down),
		};
	});
}

/** The width of a text, in its units. */
function measure(pdfium: Pdfium, object: number): number {
	return withBytes(pdfium, 16, (left) => {
		pdfium._FPDFPageObj_GetBounds(object, left, left + 4, left + 8, left + 12);
		const memory = viewMemory(pdfium);
		return memory.getFloat32(left + 8, true) - memory.getFloat32(left, true);
	});
}
