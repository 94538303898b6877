import type { INodeProperties, INodePropertyModeTypeOptions } from 'n8n-workflow';

import { simpleField } from './commonFields';

/** The field that picks a container, the same in every operation: the choice stays when the operation changes. */
export const containerLocator: INodeProperties = {
	displayName: 'Container',
	name: 'containerId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: "The container to use. The list shows the containers of the API key's user.",
	builderHint: { propertyHint: 'After Encode, use mode id with container.uuid of its output.' },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a container…',
			typeOptions: searchOptions('searchContainers', "By ID and enter the container's ID"),
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90',
			hint: "The container's ID (container.uuid in the output of Encode)",
		},
	],
};

export const contactLocator: INodeProperties = {
	displayName: 'Contact',
	name: 'contactEmail',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: "The contact to use. The list shows the contacts of the API key's user.",
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a contact…',
			typeOptions: searchOptions('searchContacts', 'By Email and enter the address'),
		},
		{
			displayName: 'By Email',
			name: 'email',
			type: 'string',
			placeholder: 'e.g. anna@example.com',
		},
	],
};

/** The field for the address of a contact that might not exist yet. */
export const contactEmailField = simpleField(
	['Email', 'email', ''],
	'Email address of the contact. The service identifies the contact by it.',
	{ required: true, placeholder: 'e.g. anna@example.com' },
);

function searchOptions(searchListMethod: string, otherWay: string): INodePropertyModeTypeOptions {
	const message = `If the list takes long, choose ${otherWay}`;
	return { searchListMethod, searchable: true, slowLoadNotice: { message, timeout: 3000 } };
}
