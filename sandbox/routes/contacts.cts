import { userInPath } from '../service/access.cts';
import { jsonAnswer } from '../service/answer.cts';
import { changeAnswer } from '../service/answers.cts';
import type { Context, Endpoint } from '../service/context.cts';
import { notFound } from '../service/errors.cts';
import { listAnswer } from '../service/lists.cts';
import { contactRecord } from '../service/records.cts';
import { checkContact } from '../validation/contact.cts';

/** service-api.md, end points 9 to 12. */
export const contactEndpoints: Endpoint[] = [
	{
		name: 'listContacts',
		method: 'GET',
		path: '/users/:user_id/contacts',
		reads: 'nothing',
		operation: list,
	},
	{
		name: 'getContact',
		method: 'GET',
		path: '/users/:user_id/contacts/:email',
		reads: 'nothing',
		operation: get,
	},
	{
		name: 'patchContact',
		method: 'PATCH',
		path: '/users/:user_id/contacts/:email',
		reads: 'json',
		operation: patch,
	},
	{
		name: 'deleteContact',
		method: 'DELETE',
		path: '/users/:user_id/contacts/:email',
		reads: 'nothing',
		operation: remove,
	},
];

function contactInPath(context: Context) {
	const contacts = context.store.contactsOf(userInPath(context).id);
	const contact = contacts.get(context.params.email);
	if (contact === undefined) throw notFound(`There is no contact ${context.params.email}`);
	return { contact, contacts };
}

function list(context: Context) {
	const { settings, store, path, origin } = context;
	const entries = [...store.contactsOf(userInPath(context).id).values()].map((contact) => {
		const fields = contactRecord(contact, settings);
		return { key: contact.email, fields, shown: fields };
	});
	const status = settings.statuses.listContacts ?? 200;
	return listAnswer(entries, { path, origin, status, shape: settings.contactList, settings });
}

function get(context: Context) {
	const { settings } = context;
	const { contact } = contactInPath(context);
	return jsonAnswer(settings.statuses.getContact ?? 200, contactRecord(contact, settings));
}

function patch(context: Context) {
	const owner = userInPath(context);
	const { settings, store, params, body } = context;
	const fields = checkContact(params.email, body, settings.contactFields);
	const known = store.contactsOf(owner.id).get(params.email);
	const contact = known ?? store.addContact({ userId: owner.id, email: params.email });
	contact.fields =
		settings.patchContactKeys === 'merge' ? { ...contact.fields, ...fields } : fields;
	if (known !== undefined) known.updated = new Date().toISOString();
	const { patchContact = 200, createContact = patchContact } = settings.statuses;
	return changeAnswer(
		settings.patchContactAnswer,
		known === undefined ? createContact : patchContact,
		known === undefined ? 'The contact was created' : 'The contact was updated',
		() => contactRecord(contact, settings),
	);
}

function remove(context: Context) {
	const { settings } = context;
	const { contact, contacts } = contactInPath(context);
	contacts.delete(contact.email);
	return changeAnswer(
		settings.deleteAnswer,
		settings.statuses.deleteContact ?? 200,
		'The contact was deleted',
		() => contactRecord(contact, settings),
	);
}
