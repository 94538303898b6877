import { resource } from '../defineResource';
import * as getMe from './getMe.operation';

export const user = resource({
	name: 'User',
	value: 'user',
	operations: [getMe],
	preselected: getMe,
});
