import { defineOperation } from '../../execution/defineOperation';
import { deleteOne } from '../commonOperations';

export const deleteContainer = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a container',
	description: "Permanently delete a container. This can't be undone.",
	endpoint: { method: 'DELETE', path: '/containers/{containerId}' },
	...deleteOne('delete the container'),
});
