import { paginationFields, queryOption } from '../../descriptions/pagination';
import { defineOperation } from '../../execution/defineOperation';
import { userParam } from '../../execution/pathParams';
import { getAll } from './getAll';

export const getContainers = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many containers',
	description: 'List the containers of a user',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers'] },
	fields: paginationFields,
	options: [
		{
			displayName: 'Include Rules',
			name: 'includeRules',
			type: 'boolean',
			default: false,
			description:
				'Whether to add the access rules of each container, which takes a request for each',
		},
		{
			displayName: 'Name Contains',
			name: 'nameContains',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice',
			description:
				'Only return containers whose name contains this text, in capitals or not. The limit counts these only.',
		},
		queryOption,
	],
	...getAll,
});
