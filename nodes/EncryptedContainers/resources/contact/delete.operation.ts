import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../shared/input/options';
import { contactLocator } from '../../../shared/locators';
import { deleteRecord } from '../../../shared/operations/deleteRecord';
import { routing } from '../../../shared/run/operation';

export const option: INodePropertyOptions = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete a contact',
	description: 'Delete a contact for good. This cannot be undone.',
	routing: routing(
		{ method: 'DELETE', url: '/users/{userId}/contacts/{contactEmail}' },
		deleteRecord('delete the contact'),
	),
};

export const fields: INodeProperties[] = [contactLocator, optionsField(userIdOption)];
