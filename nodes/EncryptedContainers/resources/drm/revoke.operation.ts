import { approvalNotice } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { containerParam } from '../../execution/pathParams';
import { revoke } from './revoke';

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
	...revoke,
});
