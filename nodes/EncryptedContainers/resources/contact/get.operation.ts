import { defineOperation } from '../../execution/defineOperation';
import { getOne } from '../commonOperations';

export const getContact = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a contact',
	description: 'Get a contact by email address',
	endpoint: { method: 'GET', path: '/users/{userId}/contacts/{contactEmail}' },
	...getOne('get the contact'),
});
