import { withContainerId } from '../../../shared/api/records';
import { approvalNotice } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { changeRules } from './changeRules';
import { endAccess } from './ruleChanges';

export const revokeAccess = defineOperation({
	name: 'Revoke Access',
	value: 'revoke',
	action: 'Revoke access to a container',
	description:
		'End access to a container for everyone at once. Its other rules stay; a new end restores access.',
	endpoint: { method: 'PATCH', path: '/containers/{containerId}/drm' },
	fields: [approvalNotice],
	parse: (item) => item.getPathParams(),
	async send(item, { containerId: id }) {
		const { shown, changed } = await changeRules(item, { id }, { needs: [], decide: endAccess });
		return [withContainerId(id, { ...shown.record, changed })];
	},
});
