import type { Resource } from '../defineResource';
import { getMe } from './getMe.operation';

export const user: Resource = {
	name: 'User',
	value: 'user',
	operations: [getMe],
	defaultOperation: getMe,
};
