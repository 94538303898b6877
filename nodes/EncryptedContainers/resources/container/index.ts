import { endpoints } from '../../../shared/client/endpoints';
import { containerLocator } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { deleteOne, getOne } from '../commonOperations';
import type { Resource } from '../defineResource';
import { decodeFiles } from './decode/decode.operation';
import { encodeFiles } from './encode/encode.operation';
import { getActivity } from './getActivity.operation';
import { getContainers } from './getMany.operation';

const getContainer = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a container',
	description: 'Get metadata and details of a container',
	routing: { request: endpoints.getContainer },
	...getOne({ action: 'get the container', pathField: containerLocator }),
});

const getEnvelope = defineOperation({
	name: 'Get Envelope',
	value: 'getEnvelope',
	action: 'Get the envelope of a container',
	description: 'Get a container with the ID of its owner, in the form that Encode returns',
	routing: { request: endpoints.getContainerEnvelope },
	...getOne({ action: 'get the envelope of the container', pathField: containerLocator }),
});

const deleteContainer = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a container',
	description: "Permanently delete a container. This can't be undone.",
	routing: { request: endpoints.deleteContainer },
	alsoSends: [endpoints.getContainer],
	...deleteOne('delete the container', containerLocator),
});

export const container: Resource = {
	name: 'Container',
	value: 'container',
	// What most people look for is first in the list of actions.
	operations: [
		encodeFiles,
		decodeFiles,
		deleteContainer,
		getContainer,
		getActivity,
		getEnvelope,
		getContainers,
	],
	defaultOperation: encodeFiles,
};
