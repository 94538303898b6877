const MEDIA_TYPE =
	/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=("[^"\\\p{Cc}]*"|[\w!#$&^.+-]+))*$/u;

/** Parsers read such a part as further parts and not as a file. */
const NESTED_TYPE = /^(multipart|message)\//i;

/** Media types by file extension; any other text file is plain text. */
const MEDIA_TYPES: Record<string, string> = {
	csv: 'text/csv',
	htm: 'text/html',
	html: 'text/html',
	ics: 'text/calendar',
	json: 'application/json',
	md: 'text/markdown',
	svg: 'image/svg+xml',
	tsv: 'text/tab-separated-values',
	vcf: 'text/vcard',
	xml: 'application/xml',
	yaml: 'application/yaml',
	yml: 'application/yaml',
};

/** The media type of a text file, from the extension of its name. */
export function getMediaType(name: string): string {
	const extension = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
	return Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension] : 'text/plain';
}

/** A media type that is safe in a header of a multipart body; anything else becomes the type of unknown bytes. */
export function sanitizeMediaType(type: string | undefined): string {
	const trimmed = type?.trim() ?? '';
	const isFile = MEDIA_TYPE.test(trimmed) && !NESTED_TYPE.test(trimmed);
	return isFile ? trimmed : 'application/octet-stream';
}
