import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { getMediaType, sanitizeMediaType } from './mediaTypes';

/** Bytes read at a time: large enough to keep a fast network busy, small enough to hold a few in memory. */
export const CHUNK_SIZE = 512 * 1024;

/** A file that is to be sent; nothing of it is read or opened yet. */
export interface SourceFile {
	name: string;
	type: string;
	content: { stored: string; bytes?: number } | { base64: string } | { text: string };
}

/**
 * Finds the files of the named binary fields of an item.
 *
 * @param binary the item's binary fields
 * @param fields names of binary fields
 * @param label display name of the parameter that names them
 * @returns a file for each field, in that order
 * @throws UserError naming the fields that the item does have, when one is missing
 */
export function namedFiles(binary: IBinaryKeyData, fields: string[], label: string): SourceFile[] {
	if (fields.length === 0) {
		throw new UserError(`"${label}" is empty`, {
			description: listFields(binary, label),
		});
	}
	return fields.map((field) => toSourceFile(field, findBinary(binary, field, label)));
}

/**
 * Finds all files of an item.
 *
 * @param binary the item's binary fields
 * @returns a file for each, in the item's order
 * @throws UserError when the item has none
 */
export function allFiles(binary: IBinaryKeyData): SourceFile[] {
	const fields = Object.entries(binary);
	if (fields.length === 0) {
		throw new UserError('The input has no file', {
			description: 'Add a node that provides one, or set "File Source" to Text.',
		});
	}
	return fields.map(([field, data]) => toSourceFile(field, data));
}

/**
 * Makes a file of text.
 *
 * @param content the text, sent as UTF-8
 * @param name file name; its ending decides on the media type
 * @param label display name of the field that holds the name, for the message
 * @returns the file
 * @throws UserError when the name is empty
 */
export function textFile(content: string, name: string, label: string): SourceFile {
	if (name.trim() === '') {
		throw new UserError(`"${label}" is empty`, {
			description: `Enter a file name with an extension in "${label}", for example report.txt.`,
		});
	}
	return { name: name.trim(), type: getMediaType(name.trim()), content: { text: content } };
}

/**
 * Gives files of the same name different ones: `scan.pdf`, `scan (2).pdf`.
 *
 * @param files in the order in which they are sent
 * @returns the same files, later ones renamed where needed
 */
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
	if (Object.prototype.hasOwnProperty.call(binary, field)) return binary[field];
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
	const ending = data.fileExtension ? `.${data.fileExtension}` : '';
	return {
		name: data.fileName?.trim() ? data.fileName : `${field}${ending}`,
		type: sanitizeMediaType(data.mimeType),
		content: data.id === undefined ? { base64: data.data } : { stored: data.id, bytes: data.bytes },
	};
}
