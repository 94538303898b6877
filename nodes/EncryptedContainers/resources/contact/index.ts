import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { endpoints } from '../../../shared/client/endpoints';
import { queryOption } from '../../../shared/descriptions/options';
import { contactLocator, paginationFields } from '../../descriptions/commonFields';
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
	routing: { request: endpoints.getContact },
	...getOne({ action: 'get the contact', pathField: contactLocator }),
});

const deleteContact = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a contact',
	description: "Permanently delete a contact. This can't be undone.",
	routing: { request: endpoints.deleteContact },
	alsoSends: [endpoints.getContact],
	...deleteOne('delete the contact', contactLocator),
});

const getContacts = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'List the contacts of a user',
	routing: { request: endpoints.listContacts },
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
