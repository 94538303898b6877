import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/input/options';
import { containerLocator } from '../../../shared/locators';
import { deleteRecord } from '../../../shared/operations/deleteRecord';
import { routing } from '../../../shared/run/operation';

export const option: INodePropertyOptions = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete a container',
	description: 'Delete a container for good. This cannot be undone.',
	routing: routing(
		{ method: 'DELETE', url: '/containers/{containerId}' },
		deleteRecord('delete the container'),
	),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];
