import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../../../shared/descriptions/options';
import { containerLocator } from '../../descriptions/locators';
import { deleteRecord } from '../deleteRecord';
import { routing } from '../../execution/defineOperation';

export const option: INodePropertyOptions = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete a container',
	description: "Permanently delete a container. This can't be undone.",
	routing: routing(
		{ method: 'DELETE', url: '/containers/{containerId}' },
		deleteRecord('delete the container'),
	),
};

export const fields: INodeProperties[] = [containerLocator, optionsField()];
