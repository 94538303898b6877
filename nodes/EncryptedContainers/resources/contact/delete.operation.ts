import { defineOperation } from '../../execution/defineOperation';
import { contactParam, userParam } from '../../execution/pathParams';
import { deleteOne } from '../commonOperations';

export const deleteContact = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a contact',
	description: "Permanently delete a contact. This can't be undone.",
	endpoint: { method: 'DELETE', path: ['users', userParam, 'contacts', contactParam] },
	...deleteOne('delete the contact'),
});
