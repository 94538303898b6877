import type {
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';

import { createInputError } from '../../../../shared/errors/nodeErrors';
import { isExpression } from '../../../../shared/parameters/expressions';
import { isObject } from '../../../../shared/responses/shapes';
import { getInputItems } from '../../../execution/runContext';

/** Reads the parameters of one item. */
export interface ItemParameters {
	/** As the workflow stores them, with expressions. */
	raw: INodeParameters;
	get(name: string, fallback?: unknown): unknown;
}

/** The parameters of the context's own item. */
export function getItemParameters(context: IExecutePaginationFunctions): ItemParameters {
	return {
		raw: context.getNode().parameters,
		get: (name, fallback = '') => context.getNodeParameter(name, fallback),
	};
}

/**
 * Calls a function with the parameters of each input item. The context belongs to the first one, so expressions are
 * resolved here.
 *
 * @throws NodeOperationError with the index of the item for which the function throws
 */
export function mapInputItems<T>(
	context: IExecutePaginationFunctions,
	parse: (parameters: ItemParameters, item: INodeExecutionData) => T,
): T[] {
	const { raw, get } = getItemParameters(context);
	const fixed = new Map<string, unknown>();
	return getInputItems(context).map((item, itemIndex) => {
		const parameters: ItemParameters = {
			raw,
			get(name, fallback) {
				if (hasExpression(raw[name])) return resolve(context, raw[name], itemIndex);
				if (!fixed.has(name)) fixed.set(name, get(name, fallback));
				return fixed.get(name);
			},
		};
		try {
			return parse(parameters, item);
		} catch (error) {
			const { message, description } = error as Error & { description?: string };
			throw createInputError(context.getNode(), { message, description, itemIndex });
		}
	});
}

/** Whether a parameter, or what a collection holds, is an expression. */
export function hasExpression(entered: unknown): boolean {
	return isObject(entered) ? Object.values(entered).some(hasExpression) : isExpression(entered);
}

function resolve(
	context: IExecutePaginationFunctions,
	entered: unknown,
	itemIndex: number,
): unknown {
	if (isExpression(entered)) {
		return context.evaluateExpression(String(entered).slice(1), itemIndex);
	}
	if (Array.isArray(entered)) return entered.map((entry) => resolve(context, entry, itemIndex));
	if (!isObject(entered)) return entered;
	const entries = Object.entries(entered);
	return Object.fromEntries(
		entries.map(([key, value]) => [key, resolve(context, value, itemIndex)]),
	);
}
