import { isolate, linkAddress } from '../brand/markup.mts';
import { getFileKind } from './fileKinds.mts';
import { renderPage, type Page } from './templates.mts';

/** A page with hundreds of viewers is too much for a phone. */
export const MAX_PREVIEWS = 20;

export interface PageFile {
	/** Its place in the container, which its URL has. */
	index: number;
	name: string;
	type: string;
	size: number;
	/** Its beginning, where it is shown as text. */
	text?: string;
	isCut?: boolean;
	/** Its beginning can't be read. */
	isDamaged?: boolean;
}

interface FilesState {
	owner: string;
	name: string;
	/** The last day of access. */
	lastDay?: string;
	openingsLeft?: number;
	isDownloadable: boolean;
	files: PageFile[];
}

/** Shows what was sent: above one file, with a list at the top. */
export function filesPage(page: Page, { files, ...state }: FilesState): string {
	const { texts } = page;
	const { isDownloadable } = state;
	const previewed = new Set(files.filter(isShown).slice(0, MAX_PREVIEWS));
	const described = files.map((file) => {
		const isPreviewed = previewed.has(file);
		return { ...describeFile(page, file), isPreviewed, isDownloadable };
	});
	// A file without a section is only in the list, which offers it for download.
	const sections = described.filter(
		({ isPreviewed }) => isPreviewed || !isDownloadable || files.length === 1,
	);
	const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
	return renderPage('files', page, {
		...state,
		title: state.name,
		isWide: true,
		owner: linkAddress(state.owner),
		day: state.lastDay && texts.day(state.lastDay),
		count: { count: files.length, size: texts.size(totalBytes) },
		files: described,
		sections,
	});
}

const isShown = (file: PageFile) => getFileKind(file).shown !== undefined;

function describeFile({ texts, path }: Page, file: PageFile) {
	const { sentence, shown, ending } = getFileKind(file);
	const kind = texts.text(sentence, { ending });
	const isPlayed = shown === 'audio' || shown === 'video';
	return {
		...file,
		ending,
		shown,
		isPlayed,
		/** What a browser shows in a tab of its own. Media don't play there. */
		isViewed: shown !== undefined && !isPlayed,
		label: isolate(file.name),
		about: texts.text('files.describe', { kind, size: texts.size(file.size) }),
		url: `${path}/files/${file.index}`,
		anchor: `file-${file.index}`,
	};
}
