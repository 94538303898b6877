import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { OperationDescription } from '../execution/defineOperation';
import { unknownOperation } from '../execution/unknownOperation';
import type { OperationFields } from './mergeFields';
import { mergeFields } from './mergeFields';

/** A resource in the form of a node description. */
interface ResourceDescription {
	option: INodePropertyOptions;
	selector: INodeProperties;
	operations: OperationFields[];
}

/** Combines the operations of a resource, in the order of the Operation selector. */
export function defineResource({
	name,
	value,
	operations,
	defaultOperation,
}: {
	name: string;
	value: string;
	operations: OperationDescription[];
	defaultOperation: OperationDescription;
}): ResourceDescription {
	const { value: defaultValue } = defaultOperation.option;
	return {
		option: { name, value },
		selector: {
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [value] } },
			options: operations.map(({ option }) => option),
			default: defaultValue,
		},
		operations: operations.map(({ option, fields }) => ({
			resource: value,
			operation: String(option.value),
			fields,
		})),
	};
}

/**
 * The properties of a node: a selector of the resource, one of the operation for each resource, then the fields of all
 * operations.
 */
export function toProperties(
	resources: ResourceDescription[],
	{ option: { value: defaultValue } }: ResourceDescription,
): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ option }) => option),
			default: defaultValue,
			...unknownOperation,
		},
		...resources.map(({ selector }) => selector),
		...mergeFields(resources.flatMap(({ operations }) => operations)),
	];
}

/** What the canvas shows for each operation, such as `Encode: Container`, by `resource.operation`. */
export function nameOperations(resources: ResourceDescription[]): Record<string, string> {
	const names = resources.flatMap(({ option, selector }) =>
		(selector.options as INodePropertyOptions[]).map(({ name, value }) => [
			`${String(option.value)}.${String(value)}`,
			`${name}: ${option.name}`,
		]),
	);
	return Object.fromEntries(names) as Record<string, string>;
}
