/** Control characters, line separators and marks of direction; joiners of emoji and of scripts such as Persian stay. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

/** A file name that shows what it is and that parsers of multipart bodies keep; empty when nothing of it is left. */
export function cleanFileName(name: string): string {
	const parts = name.replace(UNPRINTABLE, '').split(/[/\\]/);
	const lastPart = parts.filter((part) => part.trim() !== '').at(-1) ?? '';
	return /^\.{1,2}$/.test(lastPart.trim()) ? '' : lastPart;
}

/** Media types by file extension; any other text file is plain text. */
const MEDIA_TYPES = new Map([
	['csv', 'text/csv'],
	['htm', 'text/html'],
	['html', 'text/html'],
	['ics', 'text/calendar'],
	['json', 'application/json'],
	['md', 'text/markdown'],
	['svg', 'image/svg+xml'],
	['xml', 'application/xml'],
]);

export function getMediaType(name: string): string {
	const extension = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
	return MEDIA_TYPES.get(extension) ?? 'text/plain';
}

/** Parsers take a part of a type such as `message/rfc822` for further parts, and not for a file. */
const FILE_TYPE = /^(?!multipart\/|message\/)[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7E]*)?$/i;

/** A media type that is safe in a header of a multipart body; anything else becomes the type of unknown bytes. */
export function sanitizeMediaType(type: unknown): string {
	const trimmed = typeof type === 'string' ? type.trim() : '';
	return FILE_TYPE.test(trimmed) ? trimmed : 'application/octet-stream';
}
