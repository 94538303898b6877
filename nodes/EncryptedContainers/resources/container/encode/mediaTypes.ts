const UNKNOWN = 'application/octet-stream';

/** The endings that text is written with; any other text file is plain text. */
const MEDIA_TYPES: Record<string, string> = {
	css: 'text/css',
	csv: 'text/csv',
	eml: 'message/rfc822',
	htm: 'text/html',
	html: 'text/html',
	ics: 'text/calendar',
	js: 'text/javascript',
	json: 'application/json',
	jsonl: 'application/jsonl',
	log: 'text/plain',
	markdown: 'text/markdown',
	md: 'text/markdown',
	rtf: 'application/rtf',
	sql: 'application/sql',
	svg: 'image/svg+xml',
	tsv: 'text/tab-separated-values',
	txt: 'text/plain',
	vcf: 'text/vcard',
	xhtml: 'application/xhtml+xml',
	xml: 'application/xml',
	yaml: 'application/yaml',
	yml: 'application/yaml',
};

/**
 * The media type of a text file, from its name's ending.
 *
 * @param name file name
 * @returns the type; plain text where the ending tells nothing
 */
export function getMediaType(name: string): string {
	const ending = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
	return Object.prototype.hasOwnProperty.call(MEDIA_TYPES, ending)
		? MEDIA_TYPES[ending]
		: 'text/plain';
}

/**
 * A media type that may stand in a header of a multipart body.
 *
 * @param type as the node before gave it, which may come from a stranger
 * @returns the type, or the one for unknown bytes when it is none
 */
export function sanitizeMediaType(type: string | undefined): string {
	const trimmed = type?.trim() ?? '';
	return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=("[^"\\\p{Cc}]*"|[\w!#$&^.+-]+))*$/u.test(
		trimmed,
	)
		? trimmed
		: UNKNOWN;
}
