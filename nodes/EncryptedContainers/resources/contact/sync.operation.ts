import { dryRunOption } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { newContactParam, userParam } from '../../execution/pathParams';
import { tableFields } from './dataFields';
import { sync } from './sync';
import { deleteMissingField, maxDeletionsOption } from './syncSettings';

export const syncContacts = defineOperation({
	name: 'Sync',
	value: 'sync',
	action: 'Sync contacts',
	description:
		'Make the contacts match all input items together: create and update those that differ, and delete the others if you want',
	endpoint: { method: 'PATCH', path: ['users', userParam, 'contacts', newContactParam] },
	fields: [...tableFields, deleteMissingField],
	options: [maxDeletionsOption, dryRunOption],
	...sync,
});
