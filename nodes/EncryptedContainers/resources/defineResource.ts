import { updateDisplayOptions, type INodeProperties, type INodeType } from 'n8n-workflow';

import { unknownOperation, type OperationDescription } from '../execution/defineOperation';

export interface Resource {
	name: string;
	value: string;
	/** In the order of the Operation selector. */
	operations: OperationDescription[];
	defaultOperation: OperationDescription;
}

/** The properties of a node: a selector of the resource, one of the operation for each resource, then all fields. */
export function toProperties(
	resources: Resource[],
	{ value: defaultValue }: Resource,
): INodeProperties[] {
	const selected = resources.map((resource) => ({
		...resource,
		preset: resource.defaultOperation.option.value,
	}));
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })),
			default: defaultValue,
			...unknownOperation,
		},
		...selected.map(({ value, operations, preset }): INodeProperties => ({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [value] } },
			options: operations.map(({ option }) => option),
			default: preset,
		})),
		...resources.flatMap(({ value: resource, operations }) =>
			operations.flatMap(({ option, fields }) =>
				updateDisplayOptions(
					{ show: { resource: [resource], operation: [String(option.value)] } },
					fields,
				),
			),
		),
	];
}

/** What n8n runs for each operation: one call for all items. */
export function toCustomOperations(
	resources: Resource[],
): NonNullable<INodeType['customOperations']> {
	return Object.fromEntries(
		resources.map(({ value, operations }) => [
			value,
			Object.fromEntries(operations.map(({ option, execute }) => [option.value, execute])),
		]),
	) as NonNullable<INodeType['customOperations']>;
}

/** What the canvas shows for each operation, such as `Encode: Container`, by `resource.operation`. */
export function nameOperations(resources: Resource[]): Record<string, string> {
	// Without what helps people to find it: the canvas has little room.
	const shorten = (name: string) => name.replace(/ \(.*\)$/, '');
	const names = resources.flatMap(({ name: resource, value, operations }) =>
		operations.map(({ option }): [string, string] => [
			`${value}.${String(option.value)}`,
			`${shorten(option.name)}: ${shorten(resource)}`,
		]),
	);
	return Object.fromEntries(names);
}
