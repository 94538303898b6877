import { CONTAINER_LIST } from '../../../shared/api/lists';
import { paginationFields, queryOption } from '../../descriptions/pagination';
import { defineOperation } from '../../execution/defineOperation';
import { userParam } from '../../execution/pathParams';
import { getMany } from '../commonOperations';

export const getContainers = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many containers',
	description: 'List the containers of a user',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers'] },
	fields: paginationFields,
	options: [queryOption],
	...getMany(CONTAINER_LIST),
});
