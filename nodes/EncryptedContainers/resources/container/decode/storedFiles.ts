import { UserError, type IDataObject } from 'n8n-workflow';

import { fold, readRecord } from '../../../../shared/api/records';
import type { Expectation } from '../../../../shared/client/accept';
import type { Field } from '../../../../shared/descriptions/options';
import { createMatcher } from '../../../../shared/parameters/addresses';
import {
	assertNotEmpty,
	listSome,
	parseList,
	parseShortText,
	shorten,
} from '../../../../shared/parameters/values';
import { isRecord } from '../../../../shared/responses/shapes';
import type { Item } from '../../../execution/item';

/** A file as the record of its container shows it (docs/openapi.yaml, FileEntry). */
export interface StoredFile {
	/** Its place in the container. */
	index: number;
	name: string;
	type: string;
	size: number;
	sha256: string;
}

export const HAS_FILES: Expectation = {
	what: 'a container with the name, size and SHA-256 of each file',
	isIn: (response) => {
		const { files } = readRecord('container', response).fields;
		return Array.isArray(files) && files.every(isStoredFile);
	},
};

export function listStoredFiles(response: IDataObject): StoredFile[] {
	const { files } = readRecord('container', response).fields;
	return (files as IDataObject[]).map(({ name, type, size, sha256 }, index) => ({
		index,
		name: String(name),
		type: typeof type === 'string' && type !== '' ? type : 'application/octet-stream',
		size: Number(size),
		sha256: String(sha256).toLowerCase(),
	}));
}

function isStoredFile(file: unknown): boolean {
	if (!isRecord(file)) return false;
	const { name, size, sha256 } = file;
	const hasSize = Number.isSafeInteger(size) && Number(size) >= 0;
	return typeof name === 'string' && hasSize && /^[\da-f]{64}$/i.test(String(sha256));
}

/** @throws UserError as the tool of an agent */
export function assertNoTool({ isTool }: Item): void {
	if (!isTool) return;
	throw new UserError("An agent can't download files", {
		description:
			"Nothing was sent. A tool returns text to the model, and a file can't reach it. Use this operation in the workflow before or after the agent.",
	});
}

/** The names and patterns that were entered. */
export interface FileNames {
	/** A name can have a comma. */
	whole: string;
	names: string[];
}

export function parseFileNames(item: Item, field: Field<string>): FileNames {
	const { displayName: label } = field;
	const value = item.evaluate(field);
	if (!Array.isArray(value)) {
		const whole = item.read(field);
		return { whole, names: parseList(whole, label) };
	}
	assertNotEmpty(value, label);
	return { whole: '', names: value.map((name) => parseShortText(name, label)) };
}

/** Those that match, in their order; all where nothing was entered. @throws UserError for a plain name that no file has */
export function chooseFiles(item: Item, files: StoredFile[], entered: FileNames): StoredFile[] {
	const isOneName = files.some(({ name }) => fold(name) === fold(entered.whole));
	const patterns = isOneName ? [entered.whole] : entered.names;
	if (patterns.length === 0) return files;
	const matchers = patterns.map((pattern) => createMatcher(fold(pattern)));
	const existing = listSome(files.map(({ name }) => `"${name}"`));
	for (const [place, matches] of matchers.entries()) {
		const isPattern = /[*?]/.test(patterns[place]);
		if (isPattern || files.some(({ name }) => matches(fold(name)))) continue;
		throw new UserError(`The container has no file "${shorten(patterns[place])}"`, {
			description: `Nothing was downloaded. The container has ${existing}. Correct "File Names", or use * and ? in it.`,
		});
	}
	const chosen = files.filter(({ name }) => matchers.some((matches) => matches(fold(name))));
	if (chosen.length === 0) {
		const hint = `No file of the container matches "File Names": it has ${existing}.`;
		item.execution.addHint(item.redactor.redactLine(hint));
	}
	return chosen;
}
