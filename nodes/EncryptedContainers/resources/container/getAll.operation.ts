import { nameContainsOption } from '../../../shared/descriptions/options';
import { paginationFields, queryOption } from '../../descriptions/pagination';
import { defineOperation } from '../../execution/defineOperation';
import { userParam } from '../../execution/pathParams';
import { CREATED_AFTER, CREATED_BEFORE, getAll } from './getAll';

export const getContainers = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many containers',
	description: 'List the containers of a user',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers'] },
	fields: paginationFields,
	options: [
		{
			displayName: CREATED_AFTER,
			name: 'createdAfter',
			type: 'dateTime',
			typeOptions: { dateOnly: true },
			default: '',
			description:
				'Only containers that were created after this day, in the time zone of the workflow. Requires a service that shows when a container was created.',
		},
		{
			displayName: CREATED_BEFORE,
			name: 'createdBefore',
			type: 'dateTime',
			typeOptions: { dateOnly: true },
			default: '',
			placeholder: 'e.g. {{ $now.minus({ days: 90 }) }}',
			description:
				'Only containers that were created before this day, in the time zone of the workflow. Requires a service that shows when a container was created.',
		},
		{
			displayName: 'Include Rules',
			name: 'includeRules',
			type: 'boolean',
			default: false,
			description:
				'Whether to add the access rules of each container, which takes a request for each',
		},
		nameContainsOption,
		queryOption,
	],
	...getAll,
});
