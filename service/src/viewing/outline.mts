import { type Pdfium, readUtf16, withBytes } from './pdfium.mts';
import type { OutlineEntry } from './tasks.mts';

const MAX_ENTRIES = 1000;
const MAX_LEVEL = 5;
const MAX_TITLE = 200;

/** Entries that lead to no page are left out. An entry that comes twice is a circle, and isn't followed. */
export function readOutline(pdfium: Pdfium, document: number): OutlineEntry[] {
	const entries: OutlineEntry[] = [];
	const seen = new Set<number>();
	function visit(parent: number, level: number): void {
		let bookmark = pdfium._FPDFBookmark_GetFirstChild(document, parent);
		while (bookmark !== 0 && !seen.has(bookmark) && seen.size < MAX_ENTRIES) {
			seen.add(bookmark);
			const title = readTitle(pdfium, bookmark);
			const page = readTarget(pdfium, document, bookmark);
			if (title !== '' && page > 0) entries.push({ title, page, level });
			if (level < MAX_LEVEL) visit(bookmark, level + 1);
			bookmark = pdfium._FPDFBookmark_GetNextSibling(document, bookmark);
		}
	}
	visit(0, 1);
	return entries;
}

function readTitle(pdfium: Pdfium, bookmark: number): string {
	const bytes = pdfium._FPDFBookmark_GetTitle(bookmark, 0, 0);
	const title = withBytes(pdfium, Math.max(bytes, 2), (buffer) => {
		pdfium._FPDFBookmark_GetTitle(bookmark, buffer, bytes);
		return readUtf16(pdfium, buffer, Math.max(bytes / 2 - 1, 0));
	});
	return title.slice(0, MAX_TITLE).toWellFormed().trim();
}

/** @returns the number of the page; 0 where there is none */
function readTarget(pdfium: Pdfium, document: number, bookmark: number): number {
	const direct = pdfium._FPDFBookmark_GetDest(document, bookmark);
	const action = direct === 0 ? pdfium._FPDFBookmark_GetAction(bookmark) : 0;
	const target = action === 0 ? direct : pdfium._FPDFAction_GetDest(document, action);
	return target === 0 ? 0 : pdfium._FPDFDest_GetDestPageIndex(document, target) + 1;
}
