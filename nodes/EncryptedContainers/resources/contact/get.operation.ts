import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../shared/input/options';
import { contactLocator } from '../../../shared/locators';
import { getRecord } from '../../../shared/operations/getRecord';
import { routing } from '../../../shared/run/operation';

export const option: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get a contact',
	description: 'Get a contact by its e-mail address',
	routing: routing(
		{ method: 'GET', url: '/users/{userId}/contacts/{contactEmail}' },
		getRecord('get the contact'),
	),
};

export const fields: INodeProperties[] = [contactLocator, optionsField(userIdOption)];
