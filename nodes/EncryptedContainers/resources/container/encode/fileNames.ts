/** File systems keep names of at most this many bytes in UTF-8. */
const MAX_BYTES = 255;
/** An extension that is longer is not one that a program knows. */
const MAX_EXTENSION_BYTES = 32;
/** Control characters, line separators and marks of direction; joiners of emoji and of scripts such as Persian stay. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

/**
 * A file name that shows what it is and that parsers of multipart bodies keep: without folders, control characters, marks
 * of direction and line separators, and not too long.
 *
 * @returns empty text when nothing of the name is left
 */
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
	const room = MAX_BYTES - Buffer.byteLength(ending);
	return `${cut(stem, room)}${ending}`;
}

/** The start of a text, of whole characters, within a number of bytes. */
function cut(text: string, maxBytes: number): string {
	let bytes = 0;
	let length = 0;
	for (const character of text) {
		bytes += Buffer.byteLength(character);
		if (bytes > maxBytes) break;
		length += character.length;
	}
	return text.slice(0, length);
}
