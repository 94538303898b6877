import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/descriptions/options';
import { containerLocator } from '../../descriptions/locators';
import { getRecord } from '../commonOperations';
import { routing } from '../../execution/defineOperation';

export const option: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	action: 'Get a container',
	description: 'Get metadata and details of a container',
	routing: routing(
		{ method: 'GET', url: '/containers/{containerId}' },
		getRecord('get the container'),
	),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];
