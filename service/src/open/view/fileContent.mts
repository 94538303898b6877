import type { FastifyBaseLogger } from 'fastify';
import { getFileKind } from '../../containers/fileKinds.mts';
import type { Description, OutlineEntry, PageText } from '../../viewing/tasks.mts';
import type { Door, Visit } from '../door.mts';
import { openView, type VisibleFile } from './visibleFiles.mts';
import { readTable, ROWS_AT_ONCE, type Table } from './tables.mts';
import { readBeginning } from './textFiles.mts';
import { logViewProblem, type NotShown, toViewProblem, type ViewProblem } from './viewProblems.mts';
import { rememberPages } from './viewRecord.mts';
import { PAGES_AT_ONCE, toFirst, type ViewRequest } from './viewUrl.mts';

export interface ViewedPage {
	/** Counted from 1. */
	number: number;
	width: number;
	height: number;
	text?: string;
	isTextCut?: boolean;
}

export interface PagesContent {
	as: 'pages';
	count: number;
	pages: ViewedPage[];
	outline: OutlineEntry[];
	/** Whether letters are missing in the pictures. */
	lacksGlyphs: boolean;
	/** Whether there is text, or why not: the document forbids to read it out, or the service doesn't show it. */
	text: 'shown' | 'forbidden' | 'off';
}

/** How the page shows a file. */
export type FileContent =
	| PagesContent
	| { as: 'text'; text: string; isCut: boolean }
	| ({ as: 'table' } & Table)
	| { as: 'player'; element: 'audio' | 'video' }
	| NotShown;

export interface ContentRequest {
	door: Door;
	visit: Visit;
	log: FastifyBaseLogger;
}

/** Reads what the page shows of a file. What can't be shown is a sentence in its place. @throws where it isn't about the file */
export async function readContent(
	viewing: ContentRequest,
	file: VisibleFile,
	request: ViewRequest,
): Promise<FileContent> {
	const { shown } = getFileKind(file, viewing.door);
	const isDownloadable = viewing.visit.seal.rules.downloadable !== false;
	if (file.size === 0) return { as: 'notShown', why: 'empty' };
	if (shown === undefined) return { as: 'notShown', why: 'kind' };
	if (shown === 'audio' || shown === 'video') {
		return isDownloadable ? { as: 'player', element: shown } : { as: 'notShown', why: 'media' };
	}
	try {
		if (shown === 'pages') return await readPages(viewing, file, request);
		return await readText(viewing, file, { shown, from: request.from });
	} catch (error) {
		return { as: 'notShown', why: readProblem(error as Error, viewing.log) };
	}
}

/** @throws the error itself where the file isn't the reason */
function readProblem(error: Error, log: FastifyBaseLogger): ViewProblem {
	const problem = toViewProblem(error);
	if (problem === undefined) throw error;
	logViewProblem(problem, error, log);
	return problem;
}

async function readPages(
	viewing: ContentRequest,
	file: VisibleFile,
	{ from }: ViewRequest,
): Promise<PagesContent> {
	const { door, visit } = viewing;
	const view = openView(door, visit, file);
	const describe = async (first: number) => await door.viewing.describe(view, toRange(first));
	const asked = await describe(from);
	const last = toFirst(asked.pageCount);
	const described = from > last ? await describe(last) : asked;
	const pages: ViewedPage[] = described.pages.map((shape, index) => ({
		...shape,
		number: Math.min(from, last) + index,
	}));
	const text = findTextRule(door, described);
	const texts = await readTexts(viewing, file, pages[0].number);
	if (text === 'shown') await addTexts(viewing, file, { pages, texts });
	const lacksGlyphs = texts.some((ofPage) => ofPage.lacksGlyphs);
	const { pageCount: count, outline } = described;
	return { as: 'pages', count, pages, outline, text, lacksGlyphs };
}

const toRange = (from: number) => ({ from, to: from + PAGES_AT_ONCE - 1 });

function findTextRule(
	{ isPageTextOff }: Door,
	{ mayReadAloud }: Description,
): PagesContent['text'] {
	if (isPageTextOff) return 'off';
	return mayReadAloud ? 'shown' : 'forbidden';
}

/** Pages are shown without a text that can't be read. */
async function readTexts({ door, visit, log }: ContentRequest, file: VisibleFile, from: number) {
	const view = openView(door, visit, file);
	return await door.viewing.readText(view, toRange(from)).catch((error: Error) => {
		readProblem(error, log);
		return [];
	});
}

async function addTexts(
	{ door, visit }: ContentRequest,
	file: VisibleFile,
	{ pages, texts }: { pages: ViewedPage[]; texts: PageText[] },
) {
	for (const [index, { text, isCut }] of texts.entries()) {
		pages[index].text = text.trim();
		pages[index].isTextCut = isCut;
	}
	const numbers = pages.filter(({ text }) => text).map(({ number }) => number);
	await rememberPages(door, visit, { file, form: 'text', numbers });
}

async function readText(
	viewing: ContentRequest,
	file: VisibleFile,
	{ shown, from }: { shown: 'text' | 'table'; from: number },
): Promise<FileContent> {
	const { door, visit } = viewing;
	const beginning = await readBeginning(door, visit, file);
	if (beginning === undefined) return { as: 'notShown', why: 'kind' };
	const table = shown === 'table' && (await readTable(door, visit, file, { beginning, from }));
	// Such as a list that says only what separates its cells.
	if (table && table.rows.length === 0) return { as: 'notShown', why: 'empty' };
	const number = table ? Math.ceil(table.first / ROWS_AT_ONCE) : 1;
	await rememberPages(door, visit, { file, form: 'text', numbers: [number] });
	return table ? { as: 'table', ...table } : { as: 'text', ...beginning };
}
