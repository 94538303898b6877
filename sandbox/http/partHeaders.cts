/** The Content-Disposition of a part (RFC 7578, 4.2). */
export interface Disposition {
	kind: string;
	name?: string;
	filename?: string;
}

const PARAMETER = /;\s*([a-z*]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/gi;

/**
 * Parses a Content-Disposition as forms send it (WHATWG: UTF-8, with `%22`, `%0D` and `%0A` for a quote and
 * line ends; older clients: a backslash before a quote). It decodes no other percent sign.
 */
export function parseDisposition(header: string): Disposition {
	const parameters = new Map<string, string>();
	for (const [, key, quoted, token] of header.matchAll(PARAMETER)) {
		parameters.set(key.toLowerCase(), quoted === undefined ? token : unescapeFormName(quoted));
	}
	return {
		kind: header.split(';', 1)[0].trim().toLowerCase(),
		name: parameters.get('name'),
		filename: parameters.get('filename'),
	};
}

function unescapeFormName(text: string): string {
	return text
		.replaceAll('\\"', '"')
		.replace(/%22|%0D|%0A/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
}

/** @returns the media type in lower case without its parameters */
export function mediaType(contentType: string): string {
	return contentType.split(';', 1)[0].trim().toLowerCase();
}

/** @returns the boundary of a multipart Content-Type, if it names one (RFC 2046, 5.1.1) */
export function boundaryOf(contentType: string): string | undefined {
	const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
	return match?.[1] ?? match?.[2];
}
