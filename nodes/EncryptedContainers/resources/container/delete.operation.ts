import { defineOperation } from '../../execution/defineOperation';
import { containerParam } from '../../execution/pathParams';
import { deleteOne } from '../commonOperations';

export const deleteContainer = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a container',
	description: "Permanently delete a container. This can't be undone.",
	endpoint: { method: 'DELETE', path: ['containers', containerParam] },
	...deleteOne('delete the container'),
});
