import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { expectRecord, readRecord } from '../../../shared/api/records';
import { acceptChange } from '../../../shared/client/accept';
import { endpoints, toRequest } from '../../../shared/client/endpoints';
import { toAddressKey } from '../../../shared/parameters/addresses';
import type { QueryParameters } from '../../../shared/parameters/requests';
import { isObject, toCanonicalText } from '../../../shared/responses/shapes';
import type { Item } from '../../execution/item';

/** The contacts of a user by `toAddressKey`: an address is the same person in any capitals. */
export async function fetchContacts({ client }: Item, userId: string, query?: QueryParameters) {
	const entries = await fetchEntries(client, CONTACT_LIST, userId, { query });
	return new Map(entries.map((entry) => [toAddressKey(entry.id), entry]));
}

/** The names of the fields whose values differ. */
export function listChangedFields(contact: IDataObject, fields: IDataObject): string[] {
	const { fields: shown } = readRecord('contact', contact);
	return Object.keys(fields).filter(
		(name) => toComparedText(shown[name]) !== toComparedText(fields[name]),
	);
}

/** The same for null and nothing, a number and its text, and a text with spaces around it. */
function toComparedText(value: unknown): string {
	return isObject(value) ? toCanonicalText(value) : String(value ?? '').trim();
}

/**
 * Creates or updates a contact (docs/openapi.yaml, upsertContact). Returns the record, where the service shows it.
 * @throws ServiceError also where it shows another contact
 */
export async function writeContact(item: Item, userId: string, email: string, json: IDataObject) {
	const request = {
		...toRequest(endpoints.upsertContact, { userId, email }),
		action: 'create or update the contact',
		json,
		subject: { contactEmail: email },
		expected: expectRecord('contact'),
	};
	const { object: record } = await item.client.request(request, acceptChange);
	const { id: shown = email } = readRecord('contact', record ?? {});
	if (toAddressKey(shown) === toAddressKey(email)) return record;
	throw item.client.createError(request, {
		kind: 'unexpected',
		expected: `the contact "${email}"`,
		received: `the contact "${shown}"`,
	});
}
