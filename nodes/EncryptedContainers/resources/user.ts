import { endpoints } from '../../shared/client/endpoints';
import { defineOperation } from '../execution/defineOperation';
import { getOne } from './commonOperations';
import type { Resource } from './defineResource';

const getMe = defineOperation({
	name: 'Get Me',
	value: 'getMe',
	action: 'Get the user of the API key',
	description: 'Get the user that the API key belongs to',
	routing: { request: endpoints.getMe },
	...getOne({ action: 'get the user of the API key' }),
});

export const user: Resource = {
	name: 'User',
	value: 'user',
	operations: [getMe],
	defaultOperation: getMe,
};
