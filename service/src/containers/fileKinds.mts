import mime from 'mime/lite';
import { getFileType, getViewKind, type ViewKind } from '../viewing/kinds.mts';

export interface FileKind {
	/** How the page shows it; nothing where it can't. */
	shown?: ViewKind | 'audio' | 'video';
	/** What it is sent as: one of the types below, never the sender's own words. */
	contentType: string;
}

export type SentFile = { name: string; type: string; size: number };

/** Sent to be saved, and not to be shown. */
export const ANY_TYPE = 'application/octet-stream';
const PDF_OR_PICTURE = /^application\/pdf$|^image\//;

/** What browsers play. */
const PLAYED: Array<[types: RegExp, shown: 'audio' | 'video']> = [
	[/^audio\/(mpeg|mp3|mp4|x-m4a|aac|ogg|wav|x-wav|webm|flac)$/, 'audio'],
	[/^video\/(mp4|webm|ogg)$/, 'video'],
];

/** What this service can show. */
export interface Shows {
	isOfficeShown: boolean;
}

export function getFileKind(file: SentFile, shows: Shows): FileKind {
	const type = getFileType(file);
	const shown = getViewKind(file, shows);
	if (shown === 'pages') return { shown, contentType: ANY_TYPE };
	// What its name says is a PDF or a picture is never sent as a text.
	const typeByName = mime.getType(`/${file.name}`) ?? '';
	if (shown !== undefined && !PDF_OR_PICTURE.test(typeByName)) {
		return { shown, contentType: 'text/plain' };
	}
	const [, played] = PLAYED.find(([types]) => types.test(type)) ?? [];
	return played ? { shown: played, contentType: type } : { contentType: ANY_TYPE };
}

/** Whether the page can show a file while downloads are off. Audio and video play only as the file itself. */
export function isShownAlone(file: SentFile & { hidden?: boolean }, shows: Shows): boolean {
	const { shown } = getFileKind(file, shows);
	return !file.hidden && shown !== undefined && shown !== 'audio' && shown !== 'video';
}
