import { requestRules } from '../../../shared/api/drmRules';
import { withContainerId } from '../../../shared/api/records';
import { defineOperation } from '../../execution/defineOperation';

export const getRules = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get the access rules of a container',
	description:
		'Get the access rules (DRM) of a container: who can open it, where, when and how often',
	endpoint: { method: 'GET', path: '/containers/{containerId}/drm' },
	parse: (item) => item.getPathParams(),
	async send({ client }, { containerId }) {
		const { object } = await requestRules(client, containerId);
		return [withContainerId(containerId, object)];
	},
});
