import { UserError, type IBinaryData } from 'n8n-workflow';

import { emptyError } from '../../../../shared/parameters/values';

/** Control characters, line separators and marks of direction; joiners of emoji and of scripts such as Persian stay. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

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

/** Parsers take a part of a type such as `message/rfc822` for further parts, and not for a file. */
const FILE_TYPE = /^(?!multipart\/|message\/)[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7E]*)?$/i;

export interface SourceFile {
	name: string;
	type: string;
	content: { stored: string } | { base64: string };
}

export function createTextFile(text: string, entered: string): SourceFile {
	const name = cleanFileName(entered.trim());
	if (name === '') {
		const advice = 'Enter a name with an extension in "File Name", for example report.txt.';
		throw emptyError('File Name', advice);
	}
	const extension = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
	const type = MEDIA_TYPES.get(extension) ?? 'text/plain';
	return { name, type, content: { base64: Buffer.from(text).toString('base64') } };
}

/** Other nodes and code can put anything into a binary field, so nothing in it is relied on. */
export function toSourceFile(field: string, file: IBinaryData | null | undefined): SourceFile {
	const { id, data, mimeType, fileName, fileExtension }: Record<string, unknown> = { ...file };
	const extension = fileExtension ? `.${String(fileExtension)}` : '';
	const names = [String(fileName ?? ''), `${field}${extension}`].map(cleanFileName);
	const details = { name: names.find(Boolean) ?? 'file', type: sanitizeMediaType(mimeType) };
	if (typeof id === 'string' && id !== '') return { ...details, content: { stored: id } };
	const base64 = typeof data === 'string' ? data.replace(/\s/g, '') : '?';
	const digits = base64.replace(/={1,2}$/, '');
	if (!/[^\w+/-]/.test(digits) && digits.length % 4 !== 1)
		return { ...details, content: { base64 } };
	throw new UserError(`The binary field "${field}" holds no usable file content`, {
		description:
			"The node that created the field has to set a reference to a stored file, or the content as Base64, without a prefix such as data:application/pdf;base64. Check that node, or choose another field. In an expression, use $('Read').item.binary.data, because $binary.data has no content.",
	});
}

/** A file name that shows what it is and that parsers of multipart bodies keep; empty when nothing of it is left. */
export function cleanFileName(name: string): string {
	const parts = name.replace(UNPRINTABLE, '').split(/[/\\]/);
	const lastPart = parts.filter((part) => part.trim() !== '').at(-1) ?? '';
	return /^\.{1,2}$/.test(lastPart.trim()) ? '' : lastPart;
}

/** A media type that is safe in a header of a multipart body; anything else becomes the type of unknown bytes. */
export function sanitizeMediaType(type: unknown): string {
	const trimmed = typeof type === 'string' ? type.trim() : '';
	return FILE_TYPE.test(trimmed) ? trimmed : 'application/octet-stream';
}
