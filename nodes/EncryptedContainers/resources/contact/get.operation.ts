import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../shared/descriptions/options';
import { contactLocator } from '../../descriptions/locators';
import { getRecord } from '../commonOperations';
import { routing } from '../../execution/defineOperation';

export const option: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get a contact',
	description: 'Get a contact by email address',
	routing: routing(
		{ method: 'GET', url: '/users/{userId}/contacts/{contactEmail}' },
		getRecord('get the contact'),
	),
};

export const fields: INodeProperties[] = [contactLocator, optionsField(userIdOption)];
