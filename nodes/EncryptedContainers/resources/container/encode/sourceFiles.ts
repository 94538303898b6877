import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { getMediaType, sanitizeMediaType } from './mediaTypes';

/** Bytes per read: enough for a fast network, and little enough to have several in memory. */
export const CHUNK_SIZE = 512 * 1024;

/** A file to send, not opened yet. */
export interface SourceFile {
	name: string;
	type: string;
	content: { stored: string; bytes?: number } | { base64: string } | { text: string };
}

/**
 * The files in the named binary fields, in that order.
 *
 * @throws UserError that lists the fields of the item when one is missing
 */
export function getNamedFiles(
	binary: IBinaryKeyData,
	fields: string[],
	label: string,
): SourceFile[] {
	if (fields.length === 0) {
		throw new UserError(`"${label}" is empty`, {
			description: listFields(binary, label),
		});
	}
	return fields.map((field) => toSourceFile(field, findBinary(binary, field, label)));
}

/** @throws UserError when the item has no file */
export function getAllFiles(binary: IBinaryKeyData): SourceFile[] {
	const fields = Object.entries(binary);
	if (fields.length === 0) {
		throw new UserError('The input has no file', {
			description: 'Add a node that provides one, or set "File Source" to Text.',
		});
	}
	return fields.map(([field, data]) => toSourceFile(field, data));
}

/** @throws UserError when the file name is empty */
export function createTextFile(content: string, name: string, label: string): SourceFile {
	if (name.trim() === '') {
		throw new UserError(`"${label}" is empty`, {
			description: `Enter a file name with an extension in "${label}", for example report.txt.`,
		});
	}
	return { name: name.trim(), type: getMediaType(name.trim()), content: { text: content } };
}

/** Renames later files with a name that exists: `scan.pdf`, `scan (2).pdf`. */
export function deduplicateFileNames(files: SourceFile[]): SourceFile[] {
	const taken = new Set<string>();
	const next = new Map<string, number>();
	return files.map((file) => {
		let { name } = file;
		for (let number = next.get(file.name) ?? 2; taken.has(name.toLowerCase()); number += 1) {
			name = addNumber(file.name, number);
			next.set(file.name, number + 1);
		}
		taken.add(name.toLowerCase());
		return name === file.name ? file : { ...file, name };
	});
}

function addNumber(name: string, number: number): string {
	const dot = name.lastIndexOf('.');
	return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}

function findBinary(binary: IBinaryKeyData, field: string, label: string): IBinaryData {
	if (Object.hasOwn(binary, field)) return binary[field];
	throw new UserError(`The input item has no binary field "${field}"`, {
		description: listFields(binary, label),
	});
}

function listFields(binary: IBinaryKeyData, label: string): string {
	const fields = Object.keys(binary);
	if (fields.length === 0) {
		return 'The input has no file. Add a node that provides one, or set "File Source" to Text.';
	}
	const shown = fields.slice(0, 20).map((field) => `"${field}"`);
	return `Enter one of the item's binary fields in "${label}": ${shown.join(', ')}${fields.length > 20 ? ' and more' : ''}.`;
}

function toSourceFile(field: string, data: IBinaryData): SourceFile {
	const extension = data.fileExtension ? `.${data.fileExtension}` : '';
	return {
		name: data.fileName?.trim() ? data.fileName : `${field}${extension}`,
		type: sanitizeMediaType(data.mimeType),
		content: data.id === undefined ? { base64: data.data } : { stored: data.id, bytes: data.bytes },
	};
}
