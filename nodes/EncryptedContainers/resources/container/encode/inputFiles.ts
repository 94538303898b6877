import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { parseList } from '../../../../shared/parameters/lists';
import { createInputError } from '../../../../shared/errors/nodeErrors';
import { inputItems } from '../../../execution/runContext';
import type { SourceFile } from './sourceFiles';
import { allFiles, namedFiles, deduplicateFileNames, textFile } from './sourceFiles';

/** Display names of the fields that say where the files come from. */
const LABELS = { binaryPropertyName: 'Input Binary Field', textFileName: 'File Name' };

type ReadParameter = (name: string) => unknown;

/**
 * Finds the files that an item gives to its container; nothing is opened.
 *
 * @param context the item's context
 * @returns at least one file
 * @throws UserError when there is none, or a named field is missing
 */
export function getItemFiles(context: IExecutePaginationFunctions): SourceFile[] {
	return collect((name) => context.getNodeParameter(name, ''), context.getInputData());
}

/**
 * Finds the files of all input items, for one container; later files of the same name are numbered.
 *
 * @param context the context of the first item, which sends for all
 * @returns the files in the order of the items
 * @throws NodeOperationError naming the item that has none
 */
export function getAllItemsFiles(context: IExecutePaginationFunctions): SourceFile[] {
	const files = inputItems(context).flatMap((item, itemIndex) => {
		try {
			return collect((name) => parameterAt(context, name, itemIndex), item);
		} catch (error) {
			const { message, description } = error as Error & { description?: string };
			throw createInputError(context.getNode(), { message, description, itemIndex });
		}
	});
	return deduplicateFileNames(files);
}

function collect(read: ReadParameter, { binary = {} }: INodeExecutionData): SourceFile[] {
	switch (read('fileSource')) {
		case 'text':
			return [
				textFile(
					toFileText(read('textContent')),
					toFileText(read('textFileName')),
					LABELS.textFileName,
				),
			];
		case 'all':
			return allFiles(binary);
		default:
			return namedFiles(
				binary,
				parseList(read('binaryPropertyName'), LABELS.binaryPropertyName),
				LABELS.binaryPropertyName,
			);
	}
}

/** A parameter as it is for another item than the context's own: its expression is resolved for that item. */
function parameterAt(
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
