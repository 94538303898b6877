import { defineOperation } from '../../execution/defineOperation';
import { newContactParam, userParam } from '../../execution/pathParams';
import { dataFields } from './dataFields';
import { upsert } from './upsert';

export const upsertContact = defineOperation({
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a contact',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	endpoint: { method: 'PATCH', path: ['users', userParam, 'contacts', newContactParam] },
	fields: dataFields,
	options: [
		{
			displayName: 'Skip Unchanged',
			name: 'skipUnchanged',
			type: 'boolean',
			default: false,
			description:
				'Whether to fetch the contact list once and skip contacts that already have all these values. Saves requests when most contacts are unchanged.',
		},
	],
	...upsert,
});
