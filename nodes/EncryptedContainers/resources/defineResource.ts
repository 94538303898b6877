import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

/** What a file of an operation exports: its entry in the Operation selector, and its fields. */
export interface OperationDescription {
	option: INodePropertyOptions;
	fields: INodeProperties[];
}

/**
 * Puts the operations of a resource together.
 *
 * @param description the resource, its operations in the order of the selector, and the one chosen at first
 * @returns the resource's entry in the Resource selector, and all its properties, shown for it alone
 */
export function resource({
	name,
	value,
	operations,
	preselected,
}: {
	name: string;
	value: string;
	operations: OperationDescription[];
	preselected: OperationDescription;
}): { option: INodePropertyOptions; properties: INodeProperties[] } {
	const operation = preselected.option.value;
	return {
		option: { name, value },
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [value] } },
				options: operations.map(({ option }) => option),
				default: operation,
			},
			...operations.flatMap(({ option, fields }) =>
				updateDisplayOptions({ show: { resource: [value], operation: [option.value] } }, fields),
			),
		],
	};
}
