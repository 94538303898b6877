import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { parseList } from '../../../../shared/parameters/lists';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import { getInputItems } from '../../../execution/runContext';
import type { SourceFile } from './sourceFiles';
import { allFiles, namedFiles, deduplicateFileNames, textFile } from './sourceFiles';

/** Display names of the fields that say where the files come from. */
const LABELS = { binaryPropertyName: 'Input Binary Field', textFileName: 'File Name' };

type GetParameter = (name: string) => unknown;

/**
 * The files that an item adds to its container; nothing is opened yet.
 *
 * @throws UserError when there is none, or a named field is missing
 */
export function getItemFiles(context: IExecutePaginationFunctions): SourceFile[] {
	return collectFiles((name) => context.getNodeParameter(name, ''), context.getInputData());
}

/**
 * The files of all input items, for one container; nothing is opened yet.
 *
 * @param context the context of the first item, which sends for all
 * @throws NodeOperationError naming the item without a file
 */
export function getAllItemsFiles(context: IExecutePaginationFunctions): SourceFile[] {
	const files = getInputItems(context).flatMap((item, itemIndex) => {
		try {
			return collectFiles((name) => getParameterOf(context, name, itemIndex), item);
		} catch (error) {
			const { message, description } = error as Error & { description?: string };
			throw createInputError(context.getNode(), { message, description, itemIndex });
		}
	});
	return deduplicateFileNames(files);
}

function collectFiles(get: GetParameter, { binary = {} }: INodeExecutionData): SourceFile[] {
	switch (get('fileSource')) {
		case 'text':
			return [
				textFile(
					toFileText(get('textContent')),
					toFileText(get('textFileName')),
					LABELS.textFileName,
				),
			];
		case 'all':
			return allFiles(binary);
		default:
			return namedFiles(
				binary,
				parseList(get('binaryPropertyName'), LABELS.binaryPropertyName),
				LABELS.binaryPropertyName,
			);
	}
}

/** A parameter as it is for another item than the context's own: its expression is resolved for that item. */
function getParameterOf(
	context: IExecutePaginationFunctions,
	name: string,
	itemIndex: number,
): unknown {
	const raw = context.getNode().parameters[name];
	return typeof raw === 'string' && raw.startsWith('=')
		? context.evaluateExpression(raw.slice(1), itemIndex)
		: context.getNodeParameter(name, '');
}

/** An expression may give a number or an object where text is meant: a report as JSON, for one. */
function toFileText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === undefined || value === null) return '';
	return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}
