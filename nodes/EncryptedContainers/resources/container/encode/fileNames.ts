/** File systems keep names of at most this many bytes in UTF-8. */
const MAX_BYTES = 255;
/** An extension that is longer is not one that a program knows. */
const MAX_EXTENSION_BYTES = 32;
/** Control characters, line separators and marks of direction; joiners of emoji and of scripts such as Persian stay. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

/** A file name that shows what it is and that parsers of multipart bodies keep; empty when nothing of it is left. */
export function cleanFileName(name: string): string {
	const parts = name.replace(UNPRINTABLE, '').split(/[/\\]/);
	// A folder's own name is no worse than none: `report.pdf\` is a name that parsers lose.
	const lastPart = parts.filter((part) => part.trim() !== '').at(-1) ?? '';
	return /^\.{1,2}$/.test(lastPart.trim()) ? '' : addSuffix(lastPart, '');
}

/** Adds a suffix before the extension, and shortens what is before it where needed. */
export function addSuffix(name: string, suffix: string): string {
	const dot = name.lastIndexOf('.');
	const hasExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES;
	const stem = hasExtension ? name.slice(0, dot) : name;
	const ending = `${suffix}${hasExtension ? name.slice(dot) : ''}`;
	const room = new Uint8Array(MAX_BYTES - Buffer.byteLength(ending));
	// Whole characters only.
	const { read } = new TextEncoder().encodeInto(stem, room);
	return `${stem.slice(0, read)}${ending}`;
}

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

export function getMediaType(name: string): string {
	const extension = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
	return Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension] : 'text/plain';
}

/** A media type that is safe in a header of a multipart body; anything else becomes the type of unknown bytes. */
export function sanitizeMediaType(type: unknown): string {
	const trimmed = typeof type === 'string' ? type.trim() : '';
	const isFile = MEDIA_TYPE.test(trimmed) && !NESTED_TYPE.test(trimmed);
	return isFile ? trimmed : 'application/octet-stream';
}
