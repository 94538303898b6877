import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../shared/descriptions/options';
import { containerLocator } from '../../descriptions/locators';
import { getRecord } from '../commonOperations';
import { routing } from '../../execution/defineOperation';

export const option: INodePropertyOptions = {
	name: 'Get Envelope',
	value: 'getEnvelope',
	action: 'Get the envelope of a container',
	description: 'Get a container and the ID of its owner, in the form that Encode returns',
	routing: routing(
		{ method: 'GET', url: '/users/{userId}/containers/{containerId}' },
		getRecord('get the envelope of the container'),
	),
};

export const fields: INodeProperties[] = [containerLocator, optionsField(userIdOption)];
