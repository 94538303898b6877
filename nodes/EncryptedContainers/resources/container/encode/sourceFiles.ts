import { UserError, type IBinaryData } from 'n8n-workflow';

import { cleanFileName, getMediaType, sanitizeMediaType } from './fileNames';

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
