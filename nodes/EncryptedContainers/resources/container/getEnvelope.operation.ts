import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField, userIdOption } from '../../../shared/input/options';
import { containerLocator } from '../../../shared/locators';
import { getRecord } from '../../../shared/operations/getRecord';
import { routing } from '../../../shared/run/operation';

export const option: INodePropertyOptions = {
	name: 'Get Envelope',
	value: 'getEnvelope',
	action: 'Get the envelope of a container',
	description: 'Get a container together with the identifier of its owner, as encoding answered it',
	routing: routing(
		{ method: 'GET', url: '/users/{userId}/containers/{containerId}' },
		getRecord('get the envelope of the container'),
	),
};

export const fields: INodeProperties[] = [containerLocator, optionsField(userIdOption)];
