import type { IBinaryData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { parseList } from '../../../../shared/parameters/lists';
import { parseChoice, parseShortText, parseText } from '../../../../shared/parameters/scalars';
import { describeValue, parseJsonArray, toMoment } from '../../../../shared/parameters/values';
import type { Item } from '../../../execution/item';
import { assertOwnFile, getBinaryFields, isBinaryReference } from './ownFiles';
import { FILE_SOURCES } from './choices';
import type { SourceFile } from './sourceFiles';
import { createTextFile, getAllFiles, getNamedFiles } from './sourceFiles';

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
