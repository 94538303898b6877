import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import {
	optionsField,
	pagingFields,
	queryOption,
	userIdOption,
} from '../../../shared/descriptions/options';
import { getRecords } from '../getMany';
import { routing } from '../../execution/defineOperation';

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
