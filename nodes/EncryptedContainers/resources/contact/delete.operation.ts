import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../shared/descriptions/options';
import { contactLocator } from '../../descriptions/locators';
import { deleteRecord } from '../deleteRecord';
import { routing } from '../../execution/defineOperation';

export const option: INodePropertyOptions = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete a contact',
	description: "Permanently delete a contact. This can't be undone.",
	routing: routing(
		{ method: 'DELETE', url: '/users/{userId}/contacts/{contactEmail}' },
		deleteRecord('delete the contact'),
	),
};

export const fields: INodeProperties[] = [contactLocator, optionsField(userIdOption)];
