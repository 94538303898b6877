import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import type { OperationDescription } from '../execution/defineOperation';

/** A resource in the form of a node description. */
export interface ResourceDescription {
	option: INodePropertyOptions;
	properties: INodeProperties[];
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
