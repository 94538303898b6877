import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { ChoiceField } from '../../shared/parameters/scalars';

export function createNotice(
	name: string,
	displayName: string,
	displayOptions: IDisplayOptions,
): INodeProperties {
	return { displayName, name, type: 'notice', default: '', displayOptions };
}

/** A field with values to choose from: the name of each, and what it means. */
export function choiceField<Value extends string>({
	choices,
	...field
}: Omit<INodeProperties, 'type' | 'options'> & {
	choices: Record<Value, [name: string, description?: string]>;
	default: NoInfer<Value>;
}): ChoiceField<Value> {
	const values = Object.keys(choices) as Value[];
	const options = values.map((value) => {
		const [name, description] = choices[value];
		return { name, value, description };
	});
	return { ...field, type: 'options', options };
}

export const dryRunOption: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description: 'Whether to only return what would be done, without changing anything',
};

/** Where an operation with Dry Run is an agent's tool. */
export const dryRunNotice = createNotice(
	'dryRunNotice',
	'A model could change many records at once here. As a tool, this operation only returns what it would change: turn on "Dry Run" in the options.',
	{ show: { '@tool': [true] } },
);

/** Where the node is an agent's tool: asks for a person to approve what the model can't undo. */
export const approvalNotice = createNotice(
	'approvalNotice',
	'The model decides when this runs. Add a human review step between the agent and this tool, so that a person approves each call.',
	{ show: { '@tool': [true] } },
);

export const ALLOWED_RECIPIENTS_LABEL = 'Allowed Recipients';
export const ALLOW_WILDCARDS_LABEL = 'Allow Wildcards From Expressions';

/** Options that limit whom a node can give access to, whatever its input. */
export const recipientOptions: INodeProperties[] = [
	{
		displayName: ALLOWED_RECIPIENTS_LABEL,
		name: 'allowedRecipients',
		type: 'string',
		default: '',
		placeholder: 'e.g. *@example.com, anna@example.org',
		description:
			'Addresses and wildcards that the node can give access to, separated by commas. Any other recipient is an error, and nothing is sent. Use it where recipients come from a form, an email or an AI model.',
	},
	{
		displayName: ALLOW_WILDCARDS_LABEL,
		name: 'allowWildcards',
		type: 'boolean',
		default: false,
		description:
			'Whether an expression can return a wildcard such as *@example.com as a recipient. Typed wildcards always work.',
	},
];

/** Query parameters for a list endpoint, whose filters the service does not document. */
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

export const paginationFields: INodeProperties[] = [
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
