import type { IBinaryData, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { createInputError } from '../../../../shared/errors/nodeErrors';
import { parseList } from '../../../../shared/parameters/lists';
import { parseChoice, parseShortText, parseText } from '../../../../shared/parameters/scalars';
import { describeValue, parseJsonArray, toMoment } from '../../../../shared/parameters/values';
import { isExpression } from '../../../../shared/parameters/expressions';
import { getInputItems } from '../../../execution/runContext';
import { findBinaryByPath, isBinaryReference, mergeBinaryFields } from './binaryFields';
import { FILE_SOURCES } from './choices';
import type { ItemParameters } from './itemParameters';
import { createParameterReader, getItemParameters } from './itemParameters';
import type { SourceFile } from './sourceFiles';
import { createTextFile, deduplicateFileNames, getAllFiles, getNamedFiles } from './sourceFiles';

/** Display names of the fields that say where the files come from. */
const LABELS = {
	fileSource: 'File Source',
	binaryPropertyName: 'Input Binary Field',
	textContent: 'Text',
	textFileName: 'File Name',
};

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
	const read = createParameterReader(context);
	const isInJson = isBinaryInJson(context);
	const files = getInputItems(context).flatMap((item, itemIndex) => {
		try {
			return collectFiles(read(itemIndex), item, isInJson);
		} catch (error) {
			const { message, description } = error as Error & { description?: string };
			throw createInputError(context.getNode(), { message, description, itemIndex });
		}
	});
	return deduplicateFileNames(files);
}

function collectFiles(
	parameters: ItemParameters,
	item: INodeExecutionData,
	isInJson: boolean,
): SourceFile[] {
	const { get } = parameters;
	// A file in the JSON of any other workflow was not put there by n8n, but by whoever sent the JSON.
	const binary = isInJson ? mergeBinaryFields(item) : (item.binary ?? {});
	switch (parseChoice(get('fileSource') || 'named', LABELS.fileSource, FILE_SOURCES)) {
		case 'text': {
			const name = parseShortText(get('textFileName'), LABELS.textFileName);
			return [createTextFile(getFileText(parameters), name, LABELS.textFileName)];
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
				LABELS.binaryPropertyName,
			);
	}
}

/** The setting that moves files into the JSON of items; n8n 1 does not know it. */
function isBinaryInJson(context: IExecutePaginationFunctions): boolean {
	return context.getWorkflowSettings?.().binaryMode === 'combined';
}

/** Names of binary fields, and files that an expression returned, in their order. */
function parseFileEntries(value: unknown): Array<string | IBinaryData> {
	const label = LABELS.binaryPropertyName;
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
	return isJson ? JSON.stringify(value, null, 2) : parseText(value, LABELS.textContent);
}

function noTextError(found: string): UserError {
	return new UserError(`The expression in "${LABELS.textContent}" returned no text`, {
		description: `${found} Check that the field exists in the input item. To send an empty file, clear "${LABELS.textContent}".`,
	});
}
