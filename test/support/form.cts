import type { IncomingHttpHeaders } from 'node:http';

export interface FormPart {
	name: string;
	filename?: string;
	/** Its Content-Type as sent; empty when it has none. */
	type: string;
	content: Buffer;
}

/** The boundary of a multipart body, if its Content-Type names one (RFC 2046, 5.1.1). */
function boundaryOf({ 'content-type': type = '' }: IncomingHttpHeaders) {
	const match = /^multipart\/.*;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
	return match?.[1] ?? match?.[2];
}

/** The parts of a complete form, in their order. @throws Error when it isn't one */
export function parseForm(headers: IncomingHttpHeaders, body: Buffer): FormPart[] {
	const delimiter = Buffer.from(`\r\n--${boundaryOf(headers)}`);
	const bytes = Buffer.concat([Buffer.from('\r\n'), body]);
	const parts: FormPart[] = [];
	let start = bytes.indexOf(delimiter) + delimiter.length;
	for (;;) {
		const end = bytes.indexOf(delimiter, start);
		if (end < 0) break;
		const headEnd = bytes.indexOf('\r\n\r\n', start);
		const head = bytes.toString('utf8', start, headEnd);
		parts.push({ ...parseHead(head), content: bytes.subarray(headEnd + 4, end) });
		start = end + delimiter.length;
	}
	if (bytes.toString('latin1', start, start + 2) === '--') return parts;
	throw new Error('The form has no end');
}

/** Forms escape quotes and line ends in names as `%22`, `%0D` and `%0A`, and no other character (WHATWG). */
function parseHead(head: string) {
	const find = (key: string) =>
		new RegExp(`; ${key}="([^"]*)"`)
			.exec(head)?.[1]
			.replace(/%22|%0D|%0A/g, (escape) => decodeURIComponent(escape));
	const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? '';
	return { name: find('name') ?? '', filename: find('filename'), type };
}
