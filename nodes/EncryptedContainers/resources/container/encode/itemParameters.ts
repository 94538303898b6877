import type { IExecutePaginationFunctions, INodeParameters } from 'n8n-workflow';

import { isExpression } from '../../../../shared/parameters/expressions';
import { isObject } from '../../../../shared/responses/shapes';

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

/** The parameters of any item: the context belongs to the first one, so expressions are resolved here. */
export function createParameterReader(
	context: IExecutePaginationFunctions,
): (itemIndex: number) => ItemParameters {
	const { raw, get } = getItemParameters(context);
	const fixed = new Map<string, unknown>();
	return (itemIndex) => ({
		raw,
		get(name, fallback) {
			if (hasExpression(raw[name])) return resolve(context, raw[name], itemIndex);
			if (!fixed.has(name)) fixed.set(name, get(name, fallback));
			return fixed.get(name);
		},
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
