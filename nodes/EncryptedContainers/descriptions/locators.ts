import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { simpleField } from './commonFields';

/** A field that picks a record, the same in every operation: the choice stays when the operation changes. */
function createLocator(
	[displayName, name, searchListMethod]: [label: string, name: string, searchListMethod: string],
	manualMode: Omit<INodePropertyMode, 'type'>,
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
				hint: `The ${record}s of the API key's user`,
				typeOptions: { searchListMethod, searchable: true, slowLoadNotice },
			},
			{ ...manualMode, type: 'string' },
		],
	};
}

export const containerLocator = createLocator(['Container', 'containerId', 'searchContainers'], {
	displayName: 'By ID',
	name: 'id',
	placeholder: 'e.g. 5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90',
	hint: "The container's ID (container.uuid in the output of Encode)",
});

export const contactLocator = createLocator(['Contact', 'contactEmail', 'searchContacts'], {
	displayName: 'By Email',
	name: 'email',
	placeholder: 'e.g. anna@example.com',
});

export const contactEmailField = simpleField(
	['Email', 'email', ''],
	'Email address of the contact. The service identifies the contact by it.',
	{ required: true, placeholder: 'e.g. anna@example.com' },
);
