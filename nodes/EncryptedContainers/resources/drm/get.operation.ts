import { defineOperation } from '../../execution/defineOperation';
import { containerParam } from '../../execution/pathParams';
import { getOne } from '../commonOperations';

export const getRules = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get the access rules of a container',
	description:
		'Get the access rules (DRM) of a container: who can open it, where, when and how often',
	endpoint: { method: 'GET', path: ['containers', containerParam, 'drm'] },
	...getOne('get the rules of the container'),
});
