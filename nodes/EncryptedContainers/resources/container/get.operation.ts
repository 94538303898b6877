import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/input/options';
import { containerLocator } from '../../../shared/locators';
import { getRecord } from '../../../shared/operations/getRecord';
import { routing } from '../../../shared/run/operation';

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
