import type { Bitmap } from './bitmap.mts';
import { escapeUndrawable } from './markText.mts';
import { allocate, type Pdfium, viewMemory, withBytes, withText } from './pdfium.mts';

// A page is covered with cells, each with the mark. Where they are doesn't depend on the mark: who lays the
// pages of two recipients over each other finds their letters in the same places, not gaps that undo both.

/** Of a cell, in points of its own. */
const CELL_WIDTH = 300;
const CELL_HEIGHT = 170;
const COLUMNS = 3;
/** A picture that is smaller gets fewer. */
const MIN_CELL_PIXELS = 240;

const FONT_SIZE = 13;
const LINE_HEIGHT = 17;
const LETTERS_PER_LINE = 32;
const PADDING = 10;
const TRUETYPE = 2;
/** With each character of the font, not 256. */
const ALL_CHARACTERS = 1;
const DRAW_FLAGS = 0x10;
const FILL_WINDING = 2;

type Color = [red: number, green: number, blue: number, opacity: number];
const PLATE: Color = [128, 128, 128, 38];
/** On light pages the first is read, on dark ones the second. */
const DARK: Color = [0, 0, 0, 96];
const LIGHT: Color = [255, 255, 255, 110];

export interface Marker {
	/** @param lines the same for a whole document, best */
	draw(bitmap: Bitmap, lines: string[]): void;
}

export function createMarker(pdfium: Pdfium, font: Uint8Array): Marker {
	const document = pdfium._FPDF_CreateNewDocument();
	const fontData = allocate(pdfium, font.length);
	pdfium.HEAPU8.set(font, fontData);
	const face = pdfium._FPDFText_LoadFont(document, fontData, font.length, TRUETYPE, ALL_CHARACTERS);
	if (face === 0) throw new RangeError('PDFium has no memory left');

	function addText(cell: number, text: string, place: { x: number; y: number; color: Color }) {
		const object = pdfium._FPDFPageObj_CreateTextObj(document, face, FONT_SIZE);
		withText(pdfium, text, (pointer) => pdfium._FPDFText_SetText(object, pointer));
		pdfium._FPDFPageObj_SetFillColor(object, ...place.color);
		const room = CELL_WIDTH - 2 * PADDING;
		const narrower = Math.min(1, room / Math.max(measure(pdfium, object), 1));
		pdfium._FPDFPageObj_Transform(object, narrower, 0, 0, 1, place.x, place.y);
		pdfium._FPDFPage_InsertObject(cell, object);
	}

	function addPlate(cell: number, height: number): void {
		const y = CELL_HEIGHT - height;
		const plate = pdfium._FPDFPageObj_CreateNewRect(0, y, CELL_WIDTH - PADDING, height);
		pdfium._FPDFPageObj_SetFillColor(plate, ...PLATE);
		pdfium._FPDFPath_SetDrawMode(plate, FILL_WINDING, 0);
		pdfium._FPDFPage_InsertObject(cell, plate);
	}

	function createCell(lines: string[]): number {
		const cell = pdfium._FPDFPage_New(document, 0, CELL_WIDTH, CELL_HEIGHT);
		const rows = lines.flatMap(toRows);
		addPlate(cell, CELL_HEIGHT / 2);
		for (const [index, row] of rows.entries()) {
			const y = CELL_HEIGHT - (index + 1) * LINE_HEIGHT;
			addText(cell, row, { x: PADDING, y, color: DARK });
			addText(cell, row, { x: PADDING + 1, y: y - 1, color: LIGHT });
		}
		pdfium._FPDFPage_GenerateContent(cell);
		return cell;
	}

	return {
		draw({ handle, width, height }, lines) {
			const cell = createCell(lines);
			const columns = Math.max(1, Math.min(COLUMNS, Math.floor(width / MIN_CELL_PIXELS)));
			const cellWidth = Math.ceil(width / columns);
			const cellHeight = Math.ceil((cellWidth * CELL_HEIGHT) / CELL_WIDTH);
			for (let y = 0; y < height; y += cellHeight) {
				for (let x = 0; x < width; x += cellWidth) {
					pdfium._FPDF_RenderPageBitmap(handle, cell, x, y, cellWidth, cellHeight, 0, DRAW_FLAGS);
				}
			}
			pdfium._FPDF_ClosePage(cell);
			pdfium._FPDFPage_Delete(document, 0);
		},
	};
}

function toRows(line: string): string[] {
	const letters = Array.from(escapeUndrawable(line));
	const count = Math.ceil(letters.length / LETTERS_PER_LINE);
	return Array.from({ length: count }, (_, index) =>
		letters.slice(index * LETTERS_PER_LINE, (index + 1) * LETTERS_PER_LINE).join(''),
	);
}

/** The width of a text, in points. */
function measure(pdfium: Pdfium, object: number): number {
	return withBytes(pdfium, 16, (bounds) => {
		const [left, bottom, right, top] = [0, 4, 8, 12].map((offset) => bounds + offset);
		pdfium._FPDFPageObj_GetBounds(object, left, bottom, right, top);
		const memory = viewMemory(pdfium);
		return memory.getFloat32(right, true) - memory.getFloat32(left, true);
	});
}
