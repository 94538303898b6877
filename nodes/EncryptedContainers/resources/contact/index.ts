import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { paginationFields, queryOption } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import { deleteOne, getOne, parseListOptions } from '../commonOperations';
import type { Resource } from '../defineResource';
import { syncContacts } from './sync.operation';
import { upsertContact } from './upsert.operation';

const getContact = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get a contact',
	description: 'Get a contact by email address',
	routing: { request: { method: 'GET', url: '/users/{userId}/contacts/{contactEmail}' } },
	...getOne('get the contact'),
});

const deleteContact = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a contact',
	description: "Permanently delete a contact. This can't be undone.",
	routing: { request: { method: 'DELETE', url: '/users/{userId}/contacts/{contactEmail}' } },
	alsoSends: [{ method: 'GET', url: '/users/{userId}/contacts/{contactEmail}' }],
	...deleteOne('delete the contact'),
});

const getContacts = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'List the contacts of a user',
	routing: { request: { method: 'GET', url: '/users/{userId}/contacts' } },
	fields: paginationFields,
	options: [queryOption],
	parse: (item) => parseListOptions(item),
	async send(item, options) {
		const userId = await item.getUserId();
		const entries = await fetchEntries(item.client, CONTACT_LIST, userId, options);
		return entries.map(({ record }) => record);
	},
});

export const contact: Resource = {
	name: 'Contact',
	value: 'contact',
	operations: [upsertContact, deleteContact, getContact, getContacts, syncContacts],
	defaultOperation: getContacts,
};
