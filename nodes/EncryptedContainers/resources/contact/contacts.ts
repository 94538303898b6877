import type { IDataObject } from 'n8n-workflow';

import { CONTACT_LIST, fetchEntries } from '../../../shared/api/lists';
import { CONTACT, getContactEmail, unwrapContact } from '../../../shared/api/records';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { buildPath, type QueryParameters } from '../../../shared/parameters/requests';
import { isObject, toCanonicalText } from '../../../shared/responses/shapes';
import type { Item } from '../../execution/item';

/** The contacts of a user by `toAddressKey`: an address is the same person in any capitals. */
export async function fetchContacts({ client }: Item, userId: string, query?: QueryParameters) {
	const entries = await fetchEntries(client, CONTACT_LIST, userId, { query });
	return new Map(entries.map((entry) => [toAddressKey(entry.id), entry]));
}

/** The names of the fields that a contact doesn't have with these values. */
export function listDifferences(contact: IDataObject, fields: IDataObject): string[] {
	const shown = unwrapContact(contact);
	return Object.keys(fields).filter((name) => toText(shown[name]) !== toText(fields[name]));
}

/** The same for null and nothing, a number and its text, and a text with spaces around it. */
function toText(value: unknown): string {
	return isObject(value) ? toCanonicalText(value) : String(value ?? '').trim();
}

/**
 * Creates or updates a contact (docs/openapi.yaml, upsertContact).
 *
 * @returns the record as the service shows it, which can have its own form of what was sent, or undefined
 * @throws ServiceError also where the service shows another contact
 */
export async function writeContact(item: Item, userId: string, email: string, json: IDataObject) {
	const request = {
		method: 'PATCH',
		path: buildPath(['users', userId, 'contacts', email]),
		action: 'create or update the contact',
		json,
		subject: { contactEmail: email },
		expected: CONTACT,
	} as const;
	const { object: record } = await item.client.requestChange(request);
	const shown = getContactEmail(record ?? {}) ?? email;
	if (toAddressKey(shown) === toAddressKey(email)) return record;
	const [expected, received] = [email, shown].map((address) => `the contact "${address}"`);
	throw item.client.createError(request, { kind: 'unexpected', expected, received });
}
