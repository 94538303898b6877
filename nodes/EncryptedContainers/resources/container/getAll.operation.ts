import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import {
	optionsField,
	pagingFields,
	queryOption,
	userIdOption,
} from '../../../shared/input/options';
import { getRecords } from '../../../shared/operations/getRecords';
import { routing } from '../../../shared/run/operation';

export const option: INodePropertyOptions = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many containers',
	description: 'List the containers of a user',
	routing: routing(
		{ method: 'GET', url: '/users/{userId}/containers' },
		getRecords('list the containers', 'uuid'),
	),
};

export const fields: INodeProperties[] = [...pagingFields, optionsField(queryOption, userIdOption)];
