import { createBitmap, type Shape } from './bitmap.mts';
import type { FileBytes } from './blocks.mts';
import { type Drawing, finish } from './drawing.mts';
import { readOutline } from './outline.mts';
import { insidePages } from './pageNumbers.mts';
import { allocate, type Pdfium, readUtf16, viewMemory, withBytes } from './pdfium.mts';
import { limitShape, SIZES } from './pictureSizes.mts';
import type { OpenFile, PageShape, PageText, PictureSize } from './tasks.mts';
import { ViewingError } from './viewingError.mts';

const POINTS_PER_INCH = 72;
const ERROR_PASSWORD = 4;
/** With its comments and filled fields; red before blue. */
const RENDER_FLAGS = 0x01 | 0x10;
/** Bits 5 and 10 of the permissions: copy text, and read it aloud. */
const MAY_COPY = 1 << 4;
const MAY_READ_ALOUD = 1 << 9;
/** Each character is two bytes. */
const MAX_TEXT = 5000;
/** The text of the pages after that is left out, rather than the view. */
const TEXT_MS = 2000;

export function openPdf(drawing: Drawing, bytes: FileBytes): OpenFile {
	const { pdfium } = drawing;
	const document = pdfium._FPDF_LoadCustomDocument(createAccess(pdfium, bytes), 0);
	if (document === 0) {
		const isLocked = pdfium._FPDF_GetLastError() === ERROR_PASSWORD;
		throw new ViewingError(isLocked ? 'locked' : 'broken');
	}
	const pageCount = pdfium._FPDF_GetPageCount(document);
	if (pageCount < 1) throw new ViewingError('broken');
	const permissions = pdfium._FPDF_GetDocPermissions(document);
	const mayReadAloud = (permissions & (MAY_COPY | MAY_READ_ALOUD)) !== 0;
	let outline: ReturnType<typeof readOutline> | undefined;

	/** In points. */
	function getShape(page: number): Shape {
		return withBytes(pdfium, 8, (size) => {
			pdfium._FPDF_GetPageSizeByIndexF(document, page - 1, size);
			const memory = viewMemory(pdfium);
			const width = memory.getFloat32(size, true);
			const height = memory.getFloat32(size + 4, true);
			return { width: Math.max(width, 1), height: Math.max(height, 1) };
		});
	}

	function getPictureShape(page: number, size: PictureSize): Shape {
		const shape = getShape(page);
		const factor = SIZES[size].dotsPerInch / POINTS_PER_INCH;
		return limitShape({ width: shape.width * factor, height: shape.height * factor }, size);
	}

	function withPage<Value>(page: number, use: (handle: number) => Value): Value {
		if (page < 1 || page > pageCount) throw new ViewingError('noPage');
		const handle = pdfium._FPDF_LoadPage(document, page - 1);
		if (handle === 0) throw new ViewingError('broken');
		try {
			return use(handle);
		} finally {
			pdfium._FPDF_ClosePage(handle);
		}
	}

	function getText(page: number): PageText {
		return withPage(page, (handle) => {
			const text = pdfium._FPDFText_LoadPage(handle);
			if (text === 0) return { text: '', isCut: false };
			const length = Math.max(pdfium._FPDFText_CountChars(text), 0);
			const read = Math.min(length, MAX_TEXT);
			const content = withBytes(pdfium, 2 * (read + 1), (buffer) => {
				const written = pdfium._FPDFText_GetText(text, 0, read, buffer);
				return readUtf16(pdfium, buffer, Math.max(written - 1, 0));
			});
			pdfium._FPDFText_ClosePage(text);
			return { text: content, isCut: length > read };
		});
	}

	return {
		describe(pages) {
			const shapes: PageShape[] = [];
			for (const page of insidePages(pages, pageCount)) shapes.push(getPictureShape(page, 'fit'));
			outline ??= readOutline(pdfium, document);
			return { pageCount, pages: shapes, outline, mayReadAloud };
		},
		readText(pages) {
			const end = performance.now() + TEXT_MS;
			return insidePages(pages, pageCount).map((page) =>
				mayReadAloud && performance.now() < end ? getText(page) : { text: '', isCut: false },
			);
		},
		async render({ page, size, mark }) {
			return await withPage(page, async (handle) => {
				const bitmap = createBitmap(pdfium, getPictureShape(page, size));
				const { width, height } = bitmap;
				pdfium._FPDF_RenderPageBitmap(bitmap.handle, handle, 0, 0, width, height, 0, RENDER_FLAGS);
				return finish(drawing, bitmap, mark);
			});
		},
	};
}

/** How PDFium reads the file: it calls for the bytes that it needs. */
function createAccess(pdfium: Pdfium, bytes: FileBytes): number {
	const read = pdfium.addFunction((_, position, target, length) => {
		try {
			const part = bytes.read(position >>> 0, length >>> 0);
			pdfium.HEAPU8.set(part, target >>> 0);
			return 1;
		} catch {
			return 0;
		}
	}, 'iiiii');
	const access = allocate(pdfium, 12);
	const memory = viewMemory(pdfium);
	memory.setUint32(access, bytes.size, true);
	memory.setUint32(access + 4, read, true);
	memory.setUint32(access + 8, 0, true);
	return access;
}
