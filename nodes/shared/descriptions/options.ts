import type { INodeProperties } from 'n8n-workflow';

import { limitOptions } from './limits';

/** Whose containers or contacts an operation works on. */
export const userIdOption: INodeProperties = {
	displayName: 'User ID',
	name: 'userId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 0b9f6a52-3d7e-4a41-8a4c-6c1f0e2d9b75',
	description: "ID of the user to act for. Leave empty for the API key's user.",
};

/**
 * The Options collection of an operation or the trigger: its own options and the limits.
 *
 * @param responseTimeout seconds, where the limit is another one than usual
 */
export function optionsField(own: INodeProperties[], responseTimeout?: number): INodeProperties {
	const limits = Object.values<INodeProperties>({
		...limitOptions,
		responseTimeout: {
			...limitOptions.responseTimeout,
			default: responseTimeout ?? limitOptions.responseTimeout.default,
		},
	});
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sortByDisplayName([...own, ...limits]),
	};
}

/** The order of n8n's lint rules. Without Intl, whose first use takes milliseconds of each start of n8n. */
export function sortByDisplayName(fields: INodeProperties[]): INodeProperties[] {
	const key = ({ displayName }: INodeProperties) => displayName.toLowerCase();
	return [...fields].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}
