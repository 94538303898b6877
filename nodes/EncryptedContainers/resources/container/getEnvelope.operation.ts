import { defineOperation } from '../../execution/defineOperation';
import { getOne } from '../commonOperations';

export const getEnvelope = defineOperation({
	name: 'Get Envelope',
	value: 'getEnvelope',
	action: 'Get the envelope of a container',
	description: 'Get a container and the ID of its owner, in the form that Encode returns',
	endpoint: { method: 'GET', path: '/users/{userId}/containers/{containerId}' },
	...getOne('get the envelope of the container'),
});
