import type { INodeProperties } from 'n8n-workflow';

import { DATA_TO_SEND } from './choices';

/** The fields of a contact, the same wherever contacts are created and updated. */
export const dataFields: INodeProperties[] = [
	{
		displayName: 'Data to Send',
		name: 'dataToSend',
		type: 'options',
		noDataExpression: true,
		options: DATA_TO_SEND,
		default: 'defineBelow',
		description: 'How to enter the fields of the contact',
	},
	{
		displayName: 'Inputs to Ignore',
		name: 'inputsToIgnore',
		type: 'string',
		default: '',
		placeholder: 'e.g. crm_id, updated_at',
		description:
			'Names of input fields not to send, separated by commas. The field that the email address comes from, and fields with the name email, are never sent.',
		displayOptions: { show: { dataToSend: ['autoMapInputData'] } },
	},
	{
		displayName: 'Fields',
		name: 'fieldsUi',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Field',
		default: {},
		description: "Fields you don't add stay as they are",
		options: [
			{
				name: 'fields',
				displayName: 'Field',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. first_name',
						description:
							'Name of the contact field, for example first_name, last_name, company or phone_number',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. Anna',
					},
				],
			},
		],
		displayOptions: { show: { dataToSend: ['defineBelow'] } },
	},
	{
		displayName: 'Fields (JSON)',
		name: 'bodyJson',
		type: 'json',
		default: '{\n  "first_name": "Anna",\n  "company": "Example Ltd"\n}',
		required: true,
		description: 'The contact fields as one JSON object',
		displayOptions: { show: { dataToSend: ['json'] } },
	},
];
