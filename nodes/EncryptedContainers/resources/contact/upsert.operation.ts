import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../shared/descriptions/options';
import { routing } from '../../execution/defineOperation';
import { upsertContact } from './upsert';

export const option: INodePropertyOptions = {
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a contact',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	routing: routing({ method: 'PATCH', url: '/users/{userId}/contacts/{email}' }, upsertContact),
};

export const fields: INodeProperties[] = [
	{
		displayName: 'Email',
		name: 'email',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. anna@example.com',
		description: 'Address of the contact, by which the service knows it',
	},
	{
		displayName: 'Data to Send',
		name: 'dataToSend',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Auto-Map Input Data to Fields',
				value: 'autoMapInputData',
				description: 'Use when the fields of the input items are named as the contact fields are',
			},
			{
				name: 'Define Below for Each Field',
				value: 'defineBelow',
				description: 'Set each field by hand',
			},
			{
				name: 'JSON',
				value: 'json',
				description: 'Set all fields in one JSON object',
			},
		],
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
			'Fields of the input items that are not sent, parted by commas. The field that holds the address is never sent.',
		displayOptions: { show: { dataToSend: ['autoMapInputData'] } },
	},
	{
		displayName: 'Fields',
		name: 'fieldsUi',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Field',
		default: {},
		description: 'Fields that you do not add stay as they are',
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
							'Services of this kind know first_name, last_name, company and phone_number',
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
		description: 'The fields of the contact as one JSON object',
		displayOptions: { show: { dataToSend: ['json'] } },
	},
	optionsField(userIdOption, {
		displayName: 'Skip Unchanged',
		name: 'skipUnchanged',
		type: 'boolean',
		default: false,
		description:
			'Whether to read the contact list once and send nothing for a contact that has every given value already. Saves requests when most contacts are unchanged.',
	}),
];
