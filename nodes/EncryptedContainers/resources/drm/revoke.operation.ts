import { toContainerKey, withContainerId } from '../../../shared/api/records';
import { approvalNotice } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { containerParam } from '../../execution/pathParams';
import { changeRules, getChosenName } from './changeRules';
import { endAccess } from './ruleChanges';

export const revokeAccess = defineOperation({
	name: 'Revoke Access',
	value: 'revoke',
	action: 'Revoke access to a container',
	description:
		'End access to a container for everyone. Its other rules stay, and a new end date restores access.',
	endpoint: { method: 'PATCH', path: ['containers', containerParam, 'drm'] },
	fields: [
		{
			displayName:
				'Ends access for everyone at once: the last day becomes one that is over in every time zone. All other rules stay. To restore access, set a new end date with Update. Downloaded copies are not affected.',
			name: 'revokeNotice',
			type: 'notice',
			default: '',
		},
		approvalNotice,
	],
	parse: (item) => item.getPathParams(),
	getKey: ({ containerId }) => toContainerKey(containerId),
	// No item can restore access.
	isRepeatable: () => false,
	async send(call, { containerId: id }) {
		const target = { id, name: getChosenName(call.item) };
		// A window that can't be understood is replaced.
		const { rules, changed } = await changeRules(call, target, [], (current) =>
			endAccess(current?.rules ?? {}),
		);
		return [withContainerId(id, { ...rules, changed })];
	},
});
