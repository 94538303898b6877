import type { Resource } from '../defineResource';
import { deleteContact } from './delete.operation';
import { getContact } from './get.operation';
import { getContacts } from './getAll.operation';
import { syncContacts } from './sync.operation';
import { upsertContact } from './upsert.operation';

export const contact: Resource = {
	name: 'Contact',
	value: 'contact',
	operations: [upsertContact, deleteContact, getContact, getContacts, syncContacts],
	defaultOperation: getContacts,
};
