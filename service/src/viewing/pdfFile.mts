import { createBitmap, type Shape } from './bitmap.mts';
import type { FileBytes } from './blocks.mts';
import { type Drawing, finish } from './drawing.mts';
import { lacksGlyphs } from './missingGlyphs.mts';
import { readOutline } from './outline.mts';
import { insidePages } from './pageNumbers.mts';
import { allocate, type Pdfium, readUtf16, viewMemory, withBytes } from './pdfium.mts';
import { limitShape, SIZES } from './pictureSizes.mts';
import type {
	Description,
	DocumentReader,
	OutlineEntry,
	PageRange,
	PageText,
	Picture,
	PictureSize,
	RenderTask,
} from './tasks.mts';
import { ViewingError } from './viewingError.mts';

const POINTS_PER_INCH = 72;
const ERROR_PASSWORD = 4;
/** With its comments; red before blue. */
const RENDER_FLAGS = 0x01 | 0x10;
/** Bits 5 and 10 of the permissions: copy text, and read it aloud. */
const MAY_COPY = 1 << 4;
const MAY_READ_ALOUD = 1 << 9;
/** Each character is two bytes. */
const MAX_TEXT = 5000;
/** The text of the pages after that is left out, rather than the view. */
const TEXT_MS = 2000;
const NO_TEXT: PageText = { text: '', isCut: false, lacksGlyphs: false };

/** @throws ViewingError for what is none, or has a password of its own */
export function openPdf(drawing: Drawing, bytes: FileBytes): DocumentReader {
	const { pdfium } = drawing;
	const document = pdfium._FPDF_LoadCustomDocument(createAccess(pdfium, bytes), 0);
	if (document === 0) {
		const isLocked = pdfium._FPDF_GetLastError() === ERROR_PASSWORD;
		throw new ViewingError(isLocked ? 'locked' : 'broken');
	}
	const pageCount = pdfium._FPDF_GetPageCount(document);
	if (pageCount < 1) throw new ViewingError('broken');
	return new PdfFile(drawing, document, pageCount);
}

class PdfFile implements DocumentReader {
	private readonly pdfium: Pdfium;
	private readonly mayReadAloud: boolean;
	/** What draws the fields of forms: pages are drawn without them. */
	private readonly form: number;
	private outline: OutlineEntry[] | undefined;

	constructor(
		private readonly drawing: Drawing,
		private readonly document: number,
		private readonly pageCount: number,
	) {
		this.pdfium = drawing.pdfium;
		const callbacks = this.pdfium._PDFiumExt_OpenFormFillInfo();
		this.form = this.pdfium._PDFiumExt_InitFormFillEnvironment(document, callbacks);
		const permissions = this.pdfium._FPDF_GetDocPermissions(document);
		this.mayReadAloud = (permissions & (MAY_COPY | MAY_READ_ALOUD)) !== 0;
	}

	describe(pages: PageRange): Description {
		const { pageCount, mayReadAloud } = this;
		const inside = insidePages(pages, pageCount);
		const shapes = inside.map((page) => this.getShape(page, 'fit'));
		this.outline ??= readOutline(this.pdfium, this.document);
		return { pageCount, pages: shapes, outline: this.outline, mayReadAloud };
	}

	readText(pages: PageRange): PageText[] {
		const end = performance.now() + TEXT_MS;
		return insidePages(pages, this.pageCount).map((page) =>
			performance.now() < end ? this.getText(page) : NO_TEXT,
		);
	}

	async render({ page, size, mark }: RenderTask): Promise<Picture> {
		const drawn = this.withPage(page, (handle) => {
			const bitmap = createBitmap(this.pdfium, this.getShape(page, size));
			const place = [0, 0, bitmap.width, bitmap.height, 0, RENDER_FLAGS];
			this.pdfium._FPDF_RenderPageBitmap(bitmap.handle, handle, ...place);
			this.pdfium._FPDF_FFLDraw(this.form, bitmap.handle, handle, ...place);
			return bitmap;
		});
		if (drawn === undefined) throw new ViewingError('broken');
		return await finish(this.drawing, drawn, mark);
	}

	/** Of the picture, in pixels. */
	private getShape(page: number, size: PictureSize): Shape {
		const factor = SIZES[size].dotsPerInch / POINTS_PER_INCH;
		return withBytes(this.pdfium, 8, (buffer) => {
			this.pdfium._FPDF_GetPageSizeByIndexF(this.document, page - 1, buffer);
			const memory = viewMemory(this.pdfium);
			const width = Math.max(memory.getFloat32(buffer, true), 1) * factor;
			const height = Math.max(memory.getFloat32(buffer + 4, true), 1) * factor;
			return limitShape({ width, height }, size);
		});
	}

	/** @returns nothing where the page is damaged: others of the document may be good */
	private withPage<Value>(page: number, use: (handle: number) => Value): Value | undefined {
		if (page < 1 || page > this.pageCount) throw new ViewingError('noPage');
		const handle = this.pdfium._FPDF_LoadPage(this.document, page - 1);
		if (handle === 0) return undefined;
		try {
			return use(handle);
		} finally {
			this.pdfium._FPDF_ClosePage(handle);
		}
	}

	private getText(page: number): PageText {
		const { pdfium } = this;
		const found = this.withPage(page, (handle): PageText => {
			const text = pdfium._FPDFText_LoadPage(handle);
			if (text === 0) return NO_TEXT;
			const length = Math.max(pdfium._FPDFText_CountChars(text), 0);
			const read = Math.min(length, MAX_TEXT);
			const ofPage = {
				text: this.mayReadAloud ? readCharacters(pdfium, text, read) : '',
				isCut: this.mayReadAloud && length > read,
				lacksGlyphs: lacksGlyphs(pdfium, text, read),
			};
			pdfium._FPDFText_ClosePage(text);
			return ofPage;
		});
		return found ?? NO_TEXT;
	}
}

function readCharacters(pdfium: Pdfium, text: number, count: number): string {
	return withBytes(pdfium, 2 * (count + 1), (buffer) => {
		const written = pdfium._FPDFText_GetText(text, 0, count, buffer);
		return readUtf16(pdfium, buffer, Math.max(written - 1, 0));
	});
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
