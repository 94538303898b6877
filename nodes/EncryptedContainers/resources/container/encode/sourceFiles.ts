import { UserError, type IBinaryData } from 'n8n-workflow';

import { addSuffix, cleanFileName, getMediaType, sanitizeMediaType } from './fileNames';

/** Bytes per read: enough for a fast network, and little enough to have several in memory. */
export const CHUNK_SIZE = 512 * 1024;

/** What n8n writes in place of the content of a file that it stores elsewhere. */
const STORAGE_NAME = /^(filesystem(-v2)?|s3|azure|database)$/;

export interface SourceFile {
	name: string;
	type: string;
	content: { stored: string; bytes?: number } | { base64: string } | { text: string };
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

/** Renames later files with a name that exists, in any case: `scan.pdf`, `Scan (2).pdf`. */
export function deduplicateFileNames(files: SourceFile[]): SourceFile[] {
	const taken = new Set<string>();
	const numbers = new Map<string, number>();
	return files.map((file) => {
		let { name } = file;
		// Names that a number shortens to the same one share it: none is tried twice.
		const series = toKey(addSuffix(name, ` (${files.length})`));
		for (let number = numbers.get(series) ?? 2; taken.has(toKey(name)); number += 1) {
			name = addSuffix(file.name, ` (${number})`);
			numbers.set(series, number + 1);
		}
		taken.add(toKey(name));
		return { ...file, name };
	});
}

/** The same for names that a file system can take for one. */
function toKey(name: string): string {
	return name.normalize().toLowerCase();
}

/** Other nodes and code can put anything into a binary field, so nothing in it is relied on. */
export function toSourceFile(field: string, data: IBinaryData | null | undefined): SourceFile {
	const { id, bytes, mimeType, fileName, ...details }: Record<string, unknown> = { ...data };
	const extension = details.fileExtension ? `.${String(details.fileExtension)}` : '';
	const names = [String(fileName ?? ''), `${field}${extension}`].map(cleanFileName);
	return {
		name: names.find(Boolean) ?? 'file',
		type: sanitizeMediaType(mimeType),
		content:
			typeof id === 'string' && id !== ''
				? { stored: id, bytes: typeof bytes === 'number' ? bytes : undefined }
				: { base64: parseBase64(details.data, field) },
	};
}

function parseBase64(data: unknown, field: string): string {
	if (typeof data !== 'string' || STORAGE_NAME.test(data)) {
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
