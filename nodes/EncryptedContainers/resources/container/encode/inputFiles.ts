import type { IBinaryData, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { parseList } from '../../../../shared/parameters/lists';
import { parseChoice, parseShortText, parseText } from '../../../../shared/parameters/scalars';
import { describeValue, parseJsonArray, toMoment } from '../../../../shared/parameters/values';
import { isExpression } from '../../../../shared/parameters/expressions';
import { findBinaryByPath, isBinaryReference, mergeBinaryFields } from './binaryFields';
import { FILE_SOURCES } from './choices';
import type { ItemParameters } from './itemParameters';
import { getItemParameters, mapInputItems } from './itemParameters';
import type { SourceFile } from './sourceFiles';
import { createTextFile, deduplicateFileNames, getAllFiles, getNamedFiles } from './sourceFiles';

/** @throws UserError when the item has no file, or lacks a named field */
export function getItemFiles(context: IExecutePaginationFunctions): SourceFile[] {
	const files = collectFiles(
		getItemParameters(context),
		context.getInputData(),
		isBinaryInJson(context),
	);
	return deduplicateFileNames(files);
}

/**
 * The files of all input items, for one container.
 *
 * @param context the context of the first item
 * @throws NodeOperationError with the index of the item without a file
 */
export function getAllItemsFiles(context: IExecutePaginationFunctions): SourceFile[] {
	const isInJson = isBinaryInJson(context);
	const files = mapInputItems(context, (parameters, item) =>
		collectFiles(parameters, item, isInJson),
	);
	return deduplicateFileNames(files.flat());
}

function collectFiles(
	parameters: ItemParameters,
	item: INodeExecutionData,
	isInJson: boolean,
): SourceFile[] {
	const { get } = parameters;
	// A file in the JSON of any other workflow was not put there by n8n, but by whoever sent the JSON.
	const binary = isInJson ? mergeBinaryFields(item) : (item.binary ?? {});
	switch (parseChoice(get('fileSource'), 'File Source', FILE_SOURCES)) {
		case 'text': {
			const name = parseShortText(get('textFileName'), 'File Name');
			return [createTextFile(getFileText(parameters), name)];
		}
		case 'all':
			return getAllFiles(binary);
		case 'named':
			return getNamedFiles(
				binary,
				parseFileEntries(get('binaryPropertyName')).map((entry) =>
					isInJson && typeof entry === 'string' && !Object.hasOwn(binary, entry)
						? (findBinaryByPath(item.json, entry) ?? entry)
						: entry,
				),
			);
	}
}

/** The setting that moves files into the JSON of items; n8n 1 does not know it. */
function isBinaryInJson(context: IExecutePaginationFunctions): boolean {
	return context.getWorkflowSettings?.().binaryMode === 'combined';
}

/** Names of binary fields, and files that an expression returned, in their order. */
function parseFileEntries(value: unknown): Array<string | IBinaryData> {
	const label = 'Input Binary Field';
	const parsed = parseJsonArray(value);
	const entries = (Array.isArray(parsed) ? parsed : [parsed]).flatMap(
		(entry): Array<string | IBinaryData> => {
			if (isBinaryReference(entry)) return [entry];
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
function getFileText({ raw, get }: ItemParameters): string {
	const value = get('textContent');
	if (value === '' && isExpression(raw.textContent)) throw noTextError('The text is empty.');
	if (value === undefined || value === null) throw noTextError(describeValue(value));
	const isJson = typeof value === 'object' && toMoment(value) === undefined;
	return isJson ? JSON.stringify(value, null, 2) : parseText(value, 'Text');
}

function noTextError(found: string): UserError {
	return new UserError('The expression in "Text" returned no text', {
		description: `${found} Check that the field exists in the input item. To send an empty file, clear "Text".`,
	});
}
