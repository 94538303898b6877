import type { INodeProperties } from 'n8n-workflow';

export const userIdOption: INodeProperties = {
	displayName: 'User ID',
	name: 'userId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 0b9f6a52-3d7e-4a41-8a4c-6c1f0e2d9b75',
	description: "ID of the user to act for. Leave empty for the API key's user.",
};

export const nameContainsOption: INodeProperties = {
	displayName: 'Name Contains',
	name: 'nameContains',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoice, or Contract * 2026',
	description:
		'Only containers whose name contains this text, in capitals or not. * stands for any characters, ? for one.',
};

/** Query parameters for a list, such as a filter of the service. */
export const queryOption = rowsField(
	{
		displayName: 'Query Parameters',
		name: 'query',
		placeholder: 'Add Query Parameter',
		description:
			'Query parameters to add to the request, such as a filter that your service supports',
	},
	{ displayName: 'Parameter', name: 'parameters' },
	{ placeholder: 'e.g. created_after' },
	{ placeholder: 'e.g. 2026-01-15T00:00:00Z' },
);

/** A table of names and values. */
export function rowsField(
	field: Omit<INodeProperties, 'type' | 'default' | 'options'>,
	row: { displayName: string; name: string },
	nameField: Partial<INodeProperties>,
	valueField: Partial<INodeProperties>,
): INodeProperties {
	const text = { type: 'string', default: '' } as const;
	const values: INodeProperties[] = [
		{ displayName: 'Name', name: 'name', ...text, ...nameField },
		{ displayName: 'Value', name: 'value', ...text, ...valueField },
	];
	return {
		...field,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		options: [{ ...row, values }],
	};
}

/** The Options collection of an operation or the trigger: its own options and the limits, with a timeout in seconds. */
export function optionsField(own: INodeProperties[], responseTimeout?: number): INodeProperties {
	const limits = { ...limitOptions, responseTimeout: { ...limitOptions.responseTimeout } };
	limits.responseTimeout.default = responseTimeout ?? limits.responseTimeout.default;
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sortByDisplayName([...own, ...Object.values(limits)]),
	};
}

/** The order of n8n's lint rules. Without Intl, whose first use takes milliseconds of each start of n8n. */
export function sortByDisplayName(fields: INodeProperties[]): INodeProperties[] {
	const key = ({ displayName }: INodeProperties) => displayName.toLowerCase();
	return [...fields].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}

/** The expression of a subtitle on the canvas: the words for a value, which is an expression without brackets. */
export function createSubtitle(words: Record<string, string>, value: string): string {
	return `={{ (${JSON.stringify(words)})[${value}] }}`;
}

export const limitOptions = {
	maxConcurrent: numberOption(
		['Max Concurrent Requests', 'maxConcurrent', 5],
		{ minValue: 1, maxValue: 100 },
		'Max number of requests that run at the same time in one execution. Lower it if the service limits requests.',
	),
	maxRetries: numberOption(
		['Max Retries', 'maxRetries', 5],
		{ minValue: 0, maxValue: 100 },
		'How many times to retry a request after a rate limit or an outage. If it is unclear whether a request succeeded, the node retries it only if that is safe.',
	),
	responseTimeout: numberOption(
		['Response Timeout', 'responseTimeout', 60],
		{ minValue: 1, maxValue: 3600 },
		'How many seconds the service has to send its whole response, once it has received the whole request. After this time, the request fails.',
	),
};

export function numberOption(
	[displayName, name, preset]: [displayName: string, name: string, preset: number],
	range: { minValue: number; maxValue: number },
	description: string,
) {
	const typeOptions = { ...range, numberPrecision: 0 };
	return { displayName, name, type: 'number' as const, typeOptions, default: preset, description };
}
