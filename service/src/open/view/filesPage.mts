import { isolate, linkAddress } from '../../brand/markup.mts';
import type { Texts } from '../../brand/texts.mts';
import { getFileKind, type Shows } from '../../containers/fileKinds.mts';
import { findContact, type Owner } from '../contact.mts';
import type { FileContent } from './fileContent.mts';
import { getEnding, getKindSentence } from './kindSentences.mts';
import { toPagesView, type ShownFile } from './pagesView.mts';
import { toTableView } from './tableView.mts';
import { renderPage, type PageContext } from '../templates.mts';
import type { ViewProblem } from './viewProblems.mts';
import { toViewQuery, toViewUrl, type ViewRequest } from './viewUrl.mts';

export interface PageFile {
	/** Its place in the container, which its URL has. */
	index: number;
	name: string;
	type: string;
	size: number;
}

/** The file that the page shows. */
export interface Shown {
	file: PageFile;
	request: ViewRequest;
	content: FileContent;
}

interface FilesState extends Shows {
	owner: Owner;
	name: string;
	/** The last day of access. */
	lastDay?: string;
	openingsLeft?: number;
	isDownloadable: boolean;
	/** Whether the pages name the visitor. */
	isMarked: boolean;
	files: PageFile[];
	/** Missing where there are no files. */
	shown?: Shown;
}

/** Shows what was sent: a list of the files where there are several, and one of them. */
export function filesPage(page: PageContext, { files, shown, ...state }: FilesState): string {
	const { texts } = page;
	const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
	const listed = files.map((file) => ({
		...toFileView(page, file, { shows: state }),
		isShown: file.index === shown?.file.index,
	}));
	return renderPage('files', page, {
		...state,
		title: state.name,
		isWide: true,
		owner: linkAddress(state.owner.email),
		contact: findContact(page.site, state.owner),
		day: state.lastDay && texts.day(state.lastDay),
		count: { count: files.length, size: texts.size(totalBytes) },
		files: listed,
		shown: shown && toShownView(page, shown, state),
		query: shown && toViewQuery(shown.request),
	});
}

function toFileView(
	{ texts, path }: PageContext,
	file: PageFile,
	{ shows, pages }: { shows: Shows; pages?: number },
) {
	const sentence = getKindSentence(file, getFileKind(file, shows));
	const ending = getEnding(file.name);
	const facts = { kind: texts.text(sentence, { ending }), size: texts.size(file.size) };
	return {
		...file,
		ending,
		label: isolate(file.name),
		about:
			pages === undefined
				? texts.text('files.describe', facts)
				: texts.text('files.describePages', { ...facts, pages }),
		url: `${path}/files/${file.index}`,
		viewUrl: `${toViewUrl(path, { file: file.index })}#file`,
	};
}

function toShownView(
	page: PageContext,
	{ file, request, content }: Shown,
	state: Omit<FilesState, 'files'>,
) {
	const { texts } = page;
	const pages = content.as === 'pages' ? content.count : undefined;
	const fileView = toFileView(page, file, { shows: state, pages });
	return {
		...fileView,
		template: `./view/${content.as}`,
		note: describeNote(texts, content, state),
		content: toContentView(page, { url: fileView.url, name: file.name, request }, content),
		problem: content.as === 'notShown' && toNotShownView(page, content.why, state),
	};
}

function toContentView(page: PageContext, file: ShownFile, content: FileContent) {
	if (content.as === 'pages') return toPagesView(page, file, content);
	if (content.as === 'table') return toTableView(page, file, content);
	return content;
}

/** What the sender allows, and what is visible in the file that is shown. */
function describeNote(texts: Texts, content: FileContent, state: Omit<FilesState, 'files'>) {
	if (state.isDownloadable || content.as === 'notShown') return undefined;
	if (content.as !== 'pages') return texts.html('files.viewOnlyText');
	return texts.html(state.isMarked ? 'files.viewOnlyMarked' : 'files.viewOnlyWhy');
}

function toNotShownView(page: PageContext, why: ViewProblem, state: Omit<FilesState, 'files'>) {
	const { texts, site } = page;
	const { isDownloadable, owner } = state;
	const values = { owner: findContact(site, owner) };
	const reason = texts.html(`notShown.${why}`);
	if (why === 'busy' || why === 'unavailable') return { reason };
	if (why === 'damaged' || why === 'empty')
		return { reason, advice: texts.html('notShown.again', values) };
	if (isDownloadable) return { reason, advice: texts.html('notShown.download'), isOffered: true };
	const advice = why === 'media' ? 'notShown.ask' : 'notShown.askPdf';
	return { reason, advice: texts.html(advice, values) };
}
