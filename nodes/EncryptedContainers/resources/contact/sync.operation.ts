import { defineOperation } from '../../execution/defineOperation';
import { newContactParam, userParam } from '../../execution/pathParams';
import { tableFields } from './dataFields';
import { sync } from './sync';
import { SETTINGS } from './syncSettings';

const { deleteMissing, maxDeletions, dryRun } = SETTINGS;

export const syncContacts = defineOperation({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make the contacts match all input items together: create and update those that differ, and delete the others if you want',
	endpoint: { method: 'PATCH', path: ['users', userParam, 'contacts', newContactParam] },
	fields: [...tableFields, deleteMissing],
	options: [maxDeletions, dryRun],
	...sync,
});
