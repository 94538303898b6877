import { approvalNotice } from '../../descriptions/approvalNotice';
import { defineOperation } from '../../execution/defineOperation';
import { containerParam } from '../../execution/pathParams';
import { revoke } from './revoke';

export const revokeAccess = defineOperation({
	name: 'Revoke Access',
	value: 'revoke',
	action: 'Revoke access to a container',
	description:
		'End access for everyone by setting the last day to one that is over in every time zone. All other rules stay as they are. To restore access, set a new end date. Downloaded copies are not affected.',
	endpoint: { method: 'PATCH', path: ['containers', containerParam, 'drm'] },
	fields: [approvalNotice],
	...revoke,
});
