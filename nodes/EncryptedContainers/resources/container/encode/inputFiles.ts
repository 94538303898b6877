import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { createInputError } from '../../../../shared/errors/nodeErrors';
import { parseList } from '../../../../shared/parameters/lists';
import { getInputItems } from '../../../execution/runContext';
import type { SourceFile } from './sourceFiles';
import { createTextFile, deduplicateFileNames, getAllFiles, getNamedFiles } from './sourceFiles';

type GetParameter = (name: string) => unknown;

/** @throws UserError when the item has no file, or lacks a named field */
export function getItemFiles(context: IExecutePaginationFunctions): SourceFile[] {
	return collectFiles((name) => context.getNodeParameter(name, ''), context.getInputData());
}

/**
 * The files of all input items, for one container.
 *
 * @param context the context of the first item
 * @throws NodeOperationError with the index of the item without a file
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
				createTextFile(
					toFileText(get('textContent')),
					toFileText(get('textFileName')),
					'File Name',
				),
			];
		case 'all':
			return getAllFiles(binary);
		default: {
			const label = 'Input Binary Field';
			return getNamedFiles(binary, parseList(get('binaryPropertyName'), label), label);
		}
	}
}

/** The value of a parameter for another item than the context's: its expression is resolved for that item. */
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

/** An expression might return a number or an object, such as a report as JSON. */
function toFileText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === undefined || value === null) return '';
	return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}
