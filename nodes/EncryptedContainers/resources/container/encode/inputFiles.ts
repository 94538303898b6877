import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { parseList } from '../../../../shared/parameters/lists';
import { parseChoice, parseShortText, parseText } from '../../../../shared/parameters/scalars';
import { describeValue, parseJsonArray, toMoment } from '../../../../shared/parameters/values';
import { isObject, isRecord } from '../../../../shared/responses/shapes';
import type { Item } from '../../../execution/item';
import { FILE_SOURCES } from './choices';
import type { SourceFile } from './sourceFiles';
import { createTextFile, getAllFiles, getNamedFiles } from './sourceFiles';

/** The nodes that an expression names: `$('Read')`, `$node["Read"]`, `$items("Read")`. */
const NODE_NAME = /\$(?:\(|items\(|node\[)\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;

/** @throws UserError when the item has no file, or lacks a named field */
export function getItemFiles(item: Item): SourceFile[] {
	const binary = getBinaryFields(item);
	switch (parseChoice(item.getParameter('fileSource'), 'File Source', FILE_SOURCES)) {
		case 'text': {
			const name = parseShortText(item.getParameter('textFileName'), 'File Name');
			return [createTextFile(getFileText(item), name)];
		}
		case 'all':
			return getAllFiles(binary);
		case 'named':
			return getNamedFiles(binary, parseFileEntries(item));
	}
}

/** Names of binary fields, and files that an expression returned, in their order. A text is never a file. */
function parseFileEntries(item: Item): Array<string | IBinaryData> {
	const label = 'Input Binary Field';
	const value = item.getParameter('binaryPropertyName');
	const parsed = parseJsonArray(value);
	const entries = (Array.isArray(parsed) ? parsed : [parsed]).flatMap(
		(entry): Array<string | IBinaryData> => {
			if (isBinaryReference(entry) && typeof value !== 'string') {
				assertOwnFile(item, entry);
				return [entry];
			}
			// A field can have a number as its name.
			if (Number.isInteger(entry)) return [String(entry)];
			if (entry === undefined || entry === null || typeof entry === 'string') {
				return parseList(entry, label);
			}
			throw new UserError(
				`"${label}" contains an entry that is not the name of a field or a file`,
				{
					description: `${describeValue(entry)} Enter names of binary fields in "${label}", or use an expression that returns files, such as {{ $('Read').item.binary.data }}.`,
				},
			);
		},
	);
	return [...new Set(entries)];
}

/** The content of a text file. An expression can also return a report as an object or a list. */
function getFileText(item: Item): string {
	const value = item.getParameter('textContent', undefined);
	const isJson = typeof value === 'object' && value !== null && toMoment(value) === undefined;
	const text = isJson ? JSON.stringify(value, null, 2) : parseText(value, 'Text');
	if (text !== '') return text;
	throw new UserError('"Text" is empty', {
		description: `Enter the content of the file in "Text".${item.isExpression('textContent') ? ' Its expression returned no text: check that the field exists in the input item.' : ''}`,
	});
}

/**
 * Checks that a stored file belongs to this execution: a reference can come from a form or a webhook, and n8n opens the
 * files of any workflow by it.
 *
 * @throws UserError for a reference that is not in the binary data of this item, or of an earlier node
 */
function assertOwnFile(item: Item, { id }: IBinaryData): void {
	// Without an ID, the file has its content with it.
	if (id === undefined || id === '') return;
	const isInJson = isBinaryInJson(item);
	const hasIt = (other: unknown) => hasFile(other, id, isInJson);
	if (hasIt(item.input) || listNodeItems(item).some(hasIt)) return;
	throw new UserError('"Input Binary Field" contains a file that this execution did not read', {
		description:
			"A file by reference must be in the binary data of the input item or of an earlier node. Use an expression that returns it from there, such as {{ $('Read').item.binary.data }}.",
	});
}

/** The setting that moves files into the JSON of items; n8n 1 does not know it. */
function isBinaryInJson({ host }: Item): boolean {
	return host.context.getWorkflowSettings?.().binaryMode === 'combined';
}

function hasFile(item: unknown, id: string, isInJson: boolean): boolean {
	if (!isObject(item)) return false;
	const files = isInJson && isObject(item.json) ? item.json._files : undefined;
	return [item.binary, files].some(
		(held) =>
			isObject(held) && Object.values(held).some((file) => isObject(file) && file.id === id),
	);
}

/** The items of the nodes before this one, and of those that the expression names. */
function listNodeItems(item: Item): unknown[] {
	const { context } = item.host;
	const raw = String(JSON.stringify(item.getRawParameter('binaryPropertyName'))).replaceAll(
		'\\"',
		'"',
	);
	const named = [...raw.matchAll(NODE_NAME)].map(([, , name]) => name);
	const before = context.getParentNodes(context.getNode().name).map(({ name }) => name);
	const proxy = context.getWorkflowDataProxy(item.index);
	return [...new Set([...named, ...before])].flatMap((name): unknown[] => {
		try {
			return proxy.$(name).all() as unknown[];
		} catch {
			// The node did not run.
			return [];
		}
	});
}

/**
 * The files of an item by field. Where a workflow keeps them in the JSON, they are under `_files` there; what is there in
 * any other workflow was not put there by n8n, but by whoever sent the JSON.
 */
function getBinaryFields(item: Item): IBinaryKeyData {
	const { json, binary } = item.input;
	const files = isBinaryInJson(item) && isRecord(json._files) ? json._files : {};
	const inJson = Object.entries(files).filter(([, value]) => isBinaryReference(value));
	return { ...(Object.fromEntries(inJson) as IBinaryKeyData), ...binary };
}

/** Whether a value is a file, as an expression such as `$('Read').item.binary.data` returns it. */
function isBinaryReference(value: unknown): value is IBinaryData {
	return isObject(value) && 'mimeType' in value;
}
