import type { INodeProperties } from 'n8n-workflow';

import { limitOptions } from '../parameters/limits';

/** Whose containers or contacts an operation works on. */
export const userIdOption: INodeProperties = {
	displayName: 'User ID',
	name: 'userId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 0b9f6a52-3d7e-4a41-8a4c-6c1f0e2d9b75',
	description: "ID of the user to act for. Leave empty for the API key's user.",
};

/** Query parameters for a list end point, whose filters the service does not document. */
export const queryOption: INodeProperties = {
	displayName: 'Query Parameters',
	name: 'query',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Query Parameter',
	default: {},
	description:
		'Query parameters to add to the request, such as a filter that your service supports',
	options: [
		{
			name: 'parameters',
			displayName: 'Parameter',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. sort',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. name',
				},
			],
		},
	],
};

/**
 * The Options collection of an operation.
 *
 * @param own the options that only some operations have; those of every operation are added
 */
export function optionsField(...own: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...own, ...limitOptions].sort((a, b) =>
			a.displayName.localeCompare(b.displayName, 'en'),
		),
	};
}

/** Return All and Limit, the same for every list. */
export const pagingFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];
