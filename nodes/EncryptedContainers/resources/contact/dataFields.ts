import type { INodeProperties } from 'n8n-workflow';

import type { Choice } from '../../../shared/parameters/scalars';

/** How to enter the fields of a contact. */
export const DATA_TO_SEND: Array<
	Choice<'autoMapInputData' | 'defineBelow' | 'json'> & { description: string }
> = [
	{
		name: 'Auto-Map Input Data to Fields',
		value: 'autoMapInputData',
		description: 'Use when the input fields have the same names as the contact fields',
	},
	{
		name: 'Define Below for Each Field',
		value: 'defineBelow',
		description: 'Set the value for each field',
	},
	{ name: 'JSON', value: 'json', description: 'Set all fields in one JSON object' },
];

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

/** Where the input is a table, its columns are the fields. */
export const tableFields: INodeProperties[] = [
	...dataFields.map((field) =>
		field.name === 'dataToSend' ? { ...field, default: 'autoMapInputData' } : field,
	),
	{
		displayName:
			'Without fields, Sync creates and deletes contacts, but changes none. Add the fields to compare, or choose Auto-Map Input Data to Fields.',
		name: 'noFieldsNotice',
		type: 'notice',
		default: '',
		displayOptions: {
			show: { dataToSend: ['defineBelow'] },
			// n8n 1 takes a path without the slash for the name of a property.
			hide: { '/fieldsUi.fields': [{ _cnd: { exists: true } }] },
		},
	},
];
