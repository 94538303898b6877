import { defineOperation } from '../../execution/defineOperation';
import { getOne } from '../commonOperations';

export const getContainer = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a container',
	description: 'Get metadata and details of a container',
	endpoint: { method: 'GET', path: '/containers/{containerId}' },
	...getOne('get the container'),
});
