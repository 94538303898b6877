import type { IDisplayOptions, INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { numberOption, simpleField } from '../../shared/descriptions/options';
import type { Choice, Field } from '../../shared/descriptions/options';

/** By default, a notice where the node is an agent's tool. */
export function createNotice(
	name: string,
	displayName: string,
	displayOptions: IDisplayOptions = { show: { '@tool': [true] } },
): INodeProperties {
	return { displayName, name, type: 'notice', default: '', displayOptions };
}

export interface ChoiceField<Value extends string> extends Field<Value> {
	options: Array<Choice<Value>>;
}

export function choiceField<Value extends string>(
	[displayName, name, preset]: [displayName: string, name: string, preset: NoInfer<Value>],
	choices: Record<Value, [name: string, description?: string]>,
	description: string,
	more: Partial<Omit<INodeProperties, 'options'>> = {},
): ChoiceField<Value> {
	const values = Object.keys(choices) as Value[];
	const options = values.map((value) => {
		const [shownName, meaning] = choices[value];
		return { name: shownName, value, description: meaning };
	});
	return { displayName, name, type: 'options', options, default: preset, description, ...more };
}

export const dryRunField = simpleField(
	['Dry Run', 'dryRun', false],
	'Whether to only return what would be done',
);

/**
 * The last fields of an operation that changes many records.
 * @param hint what it does without a dry run
 * @param notice when it runs as a tool
 */
export const createDryRunFields = (
	hint: string,
	notice = 'A model could change many records at once here. As a tool, this operation runs only with "Dry Run" on, and returns what it would change.',
): INodeProperties[] => [createNotice('dryRunNotice', notice), { ...dryRunField, hint }];

export const approvalNotice = createNotice(
	'approvalNotice',
	'The model decides when this runs. Add a human review step between the agent and this tool, so that a person approves each call.',
);

export const allowedRecipientsField = simpleField(
	['Allowed Recipients', 'allowedRecipients', ''],
	'The only addresses and wildcards that can get access, separated by commas',
	{ placeholder: 'e.g. *@example.com, anna@example.org' },
);

export const allowWildcardsField = simpleField(
	['Allow Wildcards From Expressions', 'allowWildcards', false],
	'Whether an expression can return a wildcard, too',
);

export const recipientOptions = [allowedRecipientsField, allowWildcardsField];

// Their descriptions are those of n8n's lint rules.
export const returnAllField = simpleField(
	['Return All', 'returnAll', false],
	'Whether to return all results or only up to a given limit',
);

export const limitField: Field<number> = {
	...numberOption(['Limit', 'limit', 50], [1], 'Max number of results to return'),
	displayOptions: { show: { returnAll: [false] } },
};

export const paginationFields = [returnAllField, limitField];

type EnteredMode = Omit<INodePropertyMode, 'type'>;

/** A field that picks a record, the same in every operation: the choice stays when the operation changes. */
function createLocator(
	[displayName, name, searchListMethod]: [label: string, name: string, searchListMethod: string],
	manualMode: EnteredMode,
	{ linkModes = [], more = '' }: { linkModes?: EnteredMode[]; more?: string } = {},
): INodeProperties {
	const record = displayName.toLowerCase();
	const message = `If the list takes long, choose ${manualMode.displayName}`;
	const slowLoadNotice = { message, timeout: 3000 };
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Choose a ${record}…`,
				hint: `${displayName}s of the API key's user, or of another one that the options name${more}`,
				typeOptions: { searchListMethod, searchable: true, slowLoadNotice },
			},
			...[...linkModes, manualMode].map((mode) => ({ ...mode, type: 'string' as const })),
		],
	};
}

/** The mode of a field that picks a record by its link. */
export const LINK_MODE = 'url';

export const containerLocator = createLocator(
	['Container', 'containerId', 'searchContainers'],
	{
		displayName: 'By ID',
		name: 'id',
		placeholder: 'e.g. 5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90',
		hint: "The container's ID (containerId in the outputs, also of the triggers)",
	},
	{
		linkModes: [
			{
				displayName: 'By Link',
				name: LINK_MODE,
				placeholder: 'e.g. https://share.example.com/c/5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90',
				hint: 'The link that recipients get (link in the outputs), or what their browser shows',
			},
		],
		more: '. Search by name, ID, or the whole email address of a recipient.',
	},
);

export const contactLocator = createLocator(['Contact', 'contactEmail', 'searchContacts'], {
	displayName: 'By Email',
	name: 'email',
	placeholder: 'e.g. anna@example.com',
});

export const requestLocator = createLocator(
	['File Request', 'requestId', 'searchRequests'],
	{
		displayName: 'By ID',
		name: 'id',
		placeholder: 'e.g. 9a1f4c2b-6e5d-4d8a-b7c3-1f0e2d3c4b5a',
		hint: "The request's ID (requestId in the output of Create, request_id in that of a trigger)",
	},
	{
		linkModes: [
			{
				displayName: 'By Link',
				name: LINK_MODE,
				placeholder: 'e.g. https://share.example.com/r/9a1f4c2b-6e5d-4d8a-b7c3-1f0e2d3c4b5a',
				hint: 'The link that senders get (link in the outputs)',
			},
		],
	},
);

export const contactEmailField = simpleField(
	['Email', 'email', ''],
	'Email address of the contact. The service identifies the contact by it.',
	{ required: true, placeholder: 'e.g. anna@example.com' },
);
