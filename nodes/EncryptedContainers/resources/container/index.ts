import { defineOperation } from '../../execution/defineOperation';
import { containerParam, userParam } from '../../execution/pathParams';
import { deleteOne, getOne } from '../commonOperations';
import type { Resource } from '../defineResource';
import { encodeFiles } from './encode/encode.operation';
import { getContainers } from './getAll.operation';

const deleteContainer = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a container',
	description: "Permanently delete a container. This can't be undone.",
	endpoint: { method: 'DELETE', path: ['containers', containerParam] },
	...deleteOne('delete the container'),
});

const getContainer = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a container',
	description: 'Get metadata and details of a container',
	endpoint: { method: 'GET', path: ['containers', containerParam] },
	...getOne('get the container'),
});

const getEnvelope = defineOperation({
	name: 'Get Envelope',
	value: 'getEnvelope',
	action: 'Get the envelope of a container',
	description: 'Get a container and the ID of its owner, in the form that Encode returns',
	endpoint: { method: 'GET', path: ['users', userParam, 'containers', containerParam] },
	...getOne('get the envelope of the container'),
});

export const container: Resource = {
	name: 'Container',
	value: 'container',
	operations: [deleteContainer, encodeFiles, getContainer, getEnvelope, getContainers],
	defaultOperation: encodeFiles,
};
