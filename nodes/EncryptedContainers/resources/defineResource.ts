import { updateDisplayOptions, type INodeProperties, type INodeType } from 'n8n-workflow';

import type { OperationDescription } from '../execution/defineOperation';

export interface Resource {
	name: string;
	value: string;
	/** In the order of the Operation selector. */
	operations: OperationDescription[];
	defaultOperation: OperationDescription;
}

export function toProperties(resources: Resource[]): INodeProperties[] {
	const [{ value: firstResource }] = resources;
	const fields = resources.flatMap(({ value, operations }) =>
		operations.flatMap((operation) => {
			const show = { resource: [value], operation: [String(operation.option.value)] };
			return updateDisplayOptions({ show }, operation.fields);
		}),
	);
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })),
			default: firstResource,
			// For every operation: n8n calls its `pagination`, whatever the response.
			routing: { send: { paginate: true } },
		},
		...resources.map(({ value, operations, defaultOperation }): INodeProperties => {
			const { value: preset } = defaultOperation.option;
			return {
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [value] } },
				options: operations.map(({ option }) => option),
				default: preset,
			};
		}),
		...fields,
	];
}

/** What n8n runs for each operation: one call for all items. */
export function toCustomOperations(resources: Resource[]) {
	const entries = resources.map(({ value, operations }) => [
		value,
		Object.fromEntries(operations.map(({ option, execute }) => [option.value, execute])),
	]);
	return Object.fromEntries(entries) as NonNullable<INodeType['customOperations']>;
}

/** What the canvas shows for each operation, such as `Encrypt Files: Container`, by `resource.operation`. */
export function nameOperations(resources: Resource[]): Record<string, string> {
	const names = resources.flatMap(({ name: resource, value, operations }) =>
		operations.map(({ option: { name, value: operation } }) => [
			`${value}.${String(operation)}`,
			// Without what helps people to find it: the canvas has little room.
			`${name}: ${resource}`.replace(/ \([^)]*\)/g, ''),
		]),
	);
	return Object.fromEntries(names) as Record<string, string>;
}
