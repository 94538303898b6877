import { UserError, type IBinaryData } from 'n8n-workflow';

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
	content: { stored: string } | { base64: string } | { text: string };
}

export function createTextFile(content: string, name: string): SourceFile {
	const cleaned = cleanFileName(name.trim());
	if (cleaned === '') {
		throw new UserError('"File Name" is empty', {
			description: 'Enter a file name with an extension in "File Name", for example report.txt.',
		});
	}
	return { name: cleaned, type: getMediaType(cleaned), content: { text: content } };
}

/** Other nodes and code can put anything into a binary field, so nothing in it is relied on. */
export function toSourceFile(field: string, data: IBinaryData | null | undefined): SourceFile {
	const { id, mimeType, fileName, ...details }: Record<string, unknown> = { ...data };
	const extension = details.fileExtension ? `.${String(details.fileExtension)}` : '';
	const names = [String(fileName ?? ''), `${field}${extension}`].map(cleanFileName);
	return {
		name: names.find(Boolean) ?? 'file',
		type: sanitizeMediaType(mimeType),
		content:
			typeof id === 'string' && id !== ''
				? { stored: id }
				: { base64: parseBase64(details.data, field) },
	};
}

function parseBase64(data: unknown, field: string): string {
	if (typeof data !== 'string') {
		throw new UserError(`The binary field "${field}" holds no file content`, {
			description:
				"The node that created the field set neither the content nor a reference to a stored file. Check that node, or choose another field. In an expression, use $('Read').item.binary.data, because $binary.data has no content.",
		});
	}
	const base64 = data.replace(/\s/g, '');
	const digits = base64.replace(/={1,2}$/, '');
	if (!/[^\w+/-]/.test(digits) && digits.length % 4 !== 1) return base64;
	throw new UserError(`The content of the binary field "${field}" is not Base64`, {
		description:
			'The node that created the field has to encode the content as Base64, without a prefix such as data:application/pdf;base64.',
	});
}

/** A file name that shows what it is and that parsers of multipart bodies keep; empty when nothing of it is left. */
export function cleanFileName(name: string): string {
	const parts = name.replace(UNPRINTABLE, '').split(/[/\\]/);
	const lastPart = parts.filter((part) => part.trim() !== '').at(-1) ?? '';
	return /^\.{1,2}$/.test(lastPart.trim()) ? '' : lastPart;
}

function getMediaType(name: string): string {
	const extension = /\.([^.]+)$/.exec(name)?.[1].toLowerCase() ?? '';
	return MEDIA_TYPES.get(extension) ?? 'text/plain';
}

/** A media type that is safe in a header of a multipart body; anything else becomes the type of unknown bytes. */
export function sanitizeMediaType(type: unknown): string {
	const trimmed = typeof type === 'string' ? type.trim() : '';
	return FILE_TYPE.test(trimmed) ? trimmed : 'application/octet-stream';
}
