import mime from 'mime/lite';
import { getFileType, getViewKind, type ViewKind } from '../viewing/kinds.mts';

export interface FileKind {
	/** The key of the sentence that names it. */
	sentence: string;
	/** Of the name, in capitals; empty where there is none. */
	ending: string;
	/** How the page shows it; nothing where it can't. */
	shown?: ViewKind | 'audio' | 'video';
	/** What it is sent as: one of the types below, never the sender's own words. */
	contentType: string;
}

type SentFile = { name: string; type: string; size: number };

/** Sent to be saved, and not to be shown. */
export const ANY_TYPE = 'application/octet-stream';
const PDF = 'application/pdf';
const PDF_OR_PICTURE = /^application\/pdf$|^image\//;

/** What browsers play. */
const PLAYED: Array<[types: RegExp, shown: 'audio' | 'video']> = [
	[/^audio\/(mpeg|mp3|mp4|x-m4a|aac|ogg|wav|x-wav|webm|flac)$/, 'audio'],
	[/^video\/(mp4|webm|ogg)$/, 'video'],
];

/** What people know by another word than its ending. */
const NAMED: Array<[endings: RegExp, sentence: string]> = [
	[/^(7Z|GZ|RAR|TAR|TGZ|ZIP)$/, 'kind.archive'],
	[/^(DOC[MX]?|ODT|PAGES|RTF)$/, 'kind.document'],
	[/^(NUMBERS|ODS|XLS[MX]?)$/, 'kind.table'],
	[/^(KEY|ODP|PPT[MX]?)$/, 'kind.presentation'],
];

/** What this service can show. */
export interface Shows {
	isOfficeShown: boolean;
}

export function getFileKind(file: SentFile, shows: Shows): FileKind {
	const ending = /\.([a-z\d]{1,8})$/i.exec(file.name)?.[1].toUpperCase() ?? '';
	const typeByName = mime.getType(`/${file.name}`) ?? '';
	const type = getFileType(file);
	const shown = getViewKind(file, shows);
	const [, sentence] = NAMED.find(([endings]) => endings.test(ending)) ?? [];
	if (shown === 'pages') {
		const ofPages = type === PDF ? 'kind.pdf' : 'kind.picture';
		const sentenceOfPages = PDF_OR_PICTURE.test(type) ? ofPages : (sentence ?? 'kind.document');
		return { sentence: sentenceOfPages, ending, shown, contentType: ANY_TYPE };
	}
	// What its name says is a PDF or a picture is never sent as a text.
	if (shown !== undefined && !PDF_OR_PICTURE.test(typeByName)) {
		return { sentence: `kind.${shown}`, ending, shown, contentType: 'text/plain' };
	}
	const [, played] = PLAYED.find(([types]) => types.test(type)) ?? [];
	if (played) return { sentence: `kind.${played}`, ending, shown: played, contentType: type };
	const other = ending === '' ? 'kind.other' : 'kind.ending';
	return { sentence: sentence ?? other, ending, contentType: ANY_TYPE };
}

/** Whether the page can show a file while downloads are off. Audio and video play only as the file itself. */
export function isShownAlone(file: SentFile & { hidden?: boolean }, shows: Shows): boolean {
	const { shown } = getFileKind(file, shows);
	return !file.hidden && shown !== undefined && shown !== 'audio' && shown !== 'video';
}
