import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import type { OperationDescription } from '../execution/defineOperation';

/** A resource as the node's description holds it. */
export interface ResourceDescription {
	option: INodePropertyOptions;
	properties: INodeProperties[];
}

/**
 * Puts the operations of a resource together, in the order of the Operation selector.
 *
 * @returns the resource's entry in the Resource selector, and all its properties, shown for it alone
 */
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
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [value] } },
				options: operations.map(({ option }) => option),
				default: defaultValue,
			},
			...operations.flatMap(({ option, fields }) =>
				updateDisplayOptions({ show: { resource: [value], operation: [option.value] } }, fields),
			),
		],
	};
}
