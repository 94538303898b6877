import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

import { simpleField } from './commonFields';

/** A field that picks a record, the same in every operation: the choice stays when the operation changes. */
function createLocator(
	[displayName, name, searchListMethod]: [label: string, name: string, searchListMethod: string],
	whatToEnter: string,
	manualMode: Omit<INodePropertyMode, 'type'>,
): INodeProperties {
	const record = displayName.toLowerCase();
	const message = `If the list takes long, choose ${manualMode.displayName} and enter ${whatToEnter}`;
	const slowLoadNotice = { message, timeout: 3000 };
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: `The ${record} to use. The list shows the ${record}s of the API key's user.`,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Choose a ${record}…`,
				typeOptions: { searchListMethod, searchable: true, slowLoadNotice },
			},
			{ ...manualMode, type: 'string' },
		],
	};
}

export const containerLocator: INodeProperties = {
	...createLocator(['Container', 'containerId', 'searchContainers'], "the container's ID", {
		displayName: 'By ID',
		name: 'id',
		placeholder: 'e.g. 5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90',
		hint: "The container's ID (container.uuid in the output of Encode)",
	}),
	builderHint: { propertyHint: 'After Encode, use mode id with container.uuid of its output.' },
};

export const contactLocator = createLocator(
	['Contact', 'contactEmail', 'searchContacts'],
	'the address',
	{ displayName: 'By Email', name: 'email', placeholder: 'e.g. anna@example.com' },
);

export const contactEmailField = simpleField(
	['Email', 'email', ''],
	'Email address of the contact. The service identifies the contact by it.',
	{ required: true, placeholder: 'e.g. anna@example.com' },
);
