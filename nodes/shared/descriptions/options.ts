import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** A field whose values are parsed to `T` (shared/parameters/fields). */
export interface Field<T> extends INodeProperties {
	/** Only for the compiler. */
	parsed?: T;
}

export type Choice<Value extends string> = INodePropertyOptions & { value: Value };

/** A text or a switch: its default says which. `more` can make it another type, such as a day or JSON. */
export function simpleField<Preset extends string | boolean>(
	[displayName, name, preset]: [displayName: string, name: string, preset: Preset],
	description: string,
	more: Partial<INodeProperties> = {},
): Field<Preset extends boolean ? boolean : string> {
	const type = typeof preset === 'boolean' ? 'boolean' : 'string';
	return { displayName, name, type, default: preset, description, ...more };
}

export function numberOption(
	[displayName, name, preset]: [displayName: string, name: string, preset: number],
	[minValue, maxValue]: [minValue: number, maxValue?: number],
	description: string,
): Field<number> {
	const typeOptions = { minValue, maxValue, numberPrecision: 0 };
	return { displayName, name, type: 'number', typeOptions, default: preset, description };
}

export const userIdOption = simpleField(
	['User ID', 'userId', ''],
	'ID of another user to act for',
	{ placeholder: 'e.g. 0b9f6a52-3d7e-4a41-8a4c-6c1f0e2d9b75' },
);

export const nameContainsOption = simpleField(
	['Name Contains', 'nameContains', ''],
	'Only containers with this text in their name. * stands for any characters, ? for one.',
	{ placeholder: 'e.g. invoice, or Contract * 2026' },
);

export const recipientOption = simpleField(
	['Recipient', 'recipient', ''],
	'Only containers that this address can open, also by a wildcard; or a wildcard such as *@example.com, for those that have it',
	{ placeholder: 'e.g. anna@example.com' },
);

/** A table of names and values. */
export function rowsField(
	field: Omit<INodeProperties, 'type' | 'default' | 'options'>,
	row: { displayName: string; name: string },
	nameField: Partial<INodeProperties>,
	valueField: Partial<INodeProperties>,
): Field<IDataObject[]> {
	const text = { type: 'string', default: '' } as const;
	const values: INodeProperties[] = [
		{ displayName: 'Name', name: 'name', ...text, ...nameField },
		{ displayName: 'Value', name: 'value', ...text, ...valueField },
	];
	const typeOptions = { multipleValues: true };
	const options = [{ ...row, values }];
	return { ...field, type: 'fixedCollection', typeOptions, default: {}, options };
}

/** Query parameters for a list, such as a filter of the service. */
export const queryOption = rowsField(
	{
		displayName: 'Query Parameters',
		name: 'query',
		placeholder: 'Add Query Parameter',
		description: 'For the list, such as a filter of your service',
	},
	{ displayName: 'Parameter', name: 'parameters' },
	{ placeholder: 'e.g. created_after' },
	{ placeholder: 'e.g. 2026-01-15T00:00:00Z' },
);

// AI builders read the limits once for each operation: docs/operations.md says more about them.
/** The limits of every operation and the trigger, in the order of n8n. @param responseTimeout by default, in seconds */
export function listLimits(responseTimeout = 60) {
	const limits = [
		numberOption(['Max Concurrent Requests', 'maxConcurrent', 5], [1, 100], 'Requests at a time'),
		numberOption(['Max Retries', 'maxRetries', 5], [0, 100], 'After a rate limit or an outage'),
		numberOption(
			['Response Timeout', 'responseTimeout', responseTimeout],
			[1, 3600],
			'Seconds for a whole response',
		),
	];
	// The same for all items.
	return limits.map((limit) => ({ ...limit, noDataExpression: true }));
}

/** The Options collection of an operation or the trigger: its own options and the limits. */
export function optionsField(own: INodeProperties[], responseTimeout?: number): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sortByDisplayName([...own, ...listLimits(responseTimeout)]),
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
