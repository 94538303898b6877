import { defineResource } from '../defineResource';
import { getMe } from './getMe.operation';

export const user = defineResource({
	name: 'User',
	value: 'user',
	operations: [getMe],
	defaultOperation: getMe,
});
