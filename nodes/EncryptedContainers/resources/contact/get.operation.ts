import { defineOperation } from '../../execution/defineOperation';
import { contactParam, userParam } from '../../execution/pathParams';
import { getOne } from '../commonOperations';

export const getContact = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a contact',
	description: 'Get a contact by email address',
	endpoint: { method: 'GET', path: ['users', userParam, 'contacts', contactParam] },
	...getOne('get the contact'),
});
