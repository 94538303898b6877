import { findUser } from '../service/access.cts';
import { changeResponse } from '../service/changeResponse.cts';
import type { Context, Operation } from '../service/context.cts';
import { invalid, notFound } from '../service/errors.cts';
import { listResponse } from '../service/lists.cts';
import { contactRecord } from '../service/records.cts';
import { jsonResponse } from '../service/response.cts';

function findContact(context: Context) {
	const contacts = context.store.contactsOf(findUser(context).id);
	const contact = contacts.get(context.params.email);
	if (contact === undefined) throw notFound(`There is no contact ${context.params.email}`);
	return { contact, contacts };
}

const listContacts: Operation = (context) => {
	const { settings, store, path, origin } = context;
	const entries = [...store.contactsOf(findUser(context).id).values()].map((contact) => {
		const record = contactRecord(contact, settings);
		return { key: contact.email, fields: record, value: record };
	});
	const status = settings.statuses.listContacts ?? 200;
	return listResponse(entries, { path, origin, status, shape: settings.contactList, settings });
};

const getContact: Operation = (context) => {
	const { settings } = context;
	const { contact } = findContact(context);
	return jsonResponse(settings.statuses.getContact ?? 200, contactRecord(contact, settings));
};

const upsertContact: Operation = (context) => {
	const owner = findUser(context);
	const { settings, store, params } = context;
	const { email = params.email, ...fields } = context.body as Record<string, unknown>;
	if (email !== params.email) {
		throw invalid('The address in the body differs from the address in the path');
	}
	const existing = store.contactsOf(owner.id).get(params.email);
	const contact = existing ?? store.addContact({ userId: owner.id, email: params.email });
	contact.fields =
		settings.patchContactKeys === 'merge' ? { ...contact.fields, ...fields } : fields;
	if (existing !== undefined) existing.updated = new Date().toISOString();
	const { upsertContact: updated = 200, createContact: created = updated } = settings.statuses;
	return changeResponse(
		settings.patchContactResponse,
		existing === undefined ? created : updated,
		existing === undefined ? 'The contact is created' : 'The contact is updated',
		() => contactRecord(contact, settings),
	);
};

const deleteContact: Operation = (context) => {
	const { settings } = context;
	const { contact, contacts } = findContact(context);
	contacts.delete(contact.email);
	return changeResponse(
		settings.deleteResponse,
		settings.statuses.deleteContact ?? 200,
		'The contact is deleted',
		() => contactRecord(contact, settings),
	);
};

export const contactOperations = { listContacts, getContact, upsertContact, deleteContact };
