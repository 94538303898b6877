import { CONTACT_LIST } from '../../../shared/api/lists';
import { paginationFields, queryOption } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { deleteOne, fetchRecords, getListOptions, getOne } from '../commonOperations';
import type { Resource } from '../defineResource';
import { syncContacts } from './sync.operation';
import { upsertContact } from './upsert.operation';

const getContact = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a contact',
	description: 'Get a contact by email address',
	endpoint: { method: 'GET', path: '/users/{userId}/contacts/{contactEmail}' },
	...getOne('get the contact'),
});

const deleteContact = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a contact',
	description: "Permanently delete a contact. This can't be undone.",
	endpoint: { method: 'DELETE', path: '/users/{userId}/contacts/{contactEmail}' },
	...deleteOne('delete the contact'),
});

const getContacts = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'List the contacts of a user',
	endpoint: { method: 'GET', path: '/users/{userId}/contacts' },
	fields: paginationFields,
	options: [queryOption],
	parse: getListOptions,
	async send(item, options) {
		const entries = await fetchRecords(item, CONTACT_LIST, options);
		return entries.map(({ record }) => record);
	},
});

export const contact: Resource = {
	name: 'Contact',
	value: 'contact',
	operations: [upsertContact, deleteContact, getContact, getContacts, syncContacts],
	defaultOperation: getContacts,
};
