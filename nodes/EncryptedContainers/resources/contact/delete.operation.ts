import { defineOperation } from '../../execution/defineOperation';
import { deleteOne } from '../commonOperations';

export const deleteContact = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a contact',
	description: "Permanently delete a contact. This can't be undone.",
	endpoint: { method: 'DELETE', path: '/users/{userId}/contacts/{contactEmail}' },
	...deleteOne('delete the contact'),
});
