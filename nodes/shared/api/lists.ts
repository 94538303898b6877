import type { IDataObject } from 'n8n-workflow';

import { getContactEmail, getContainerIdentity, toRecord } from './records';
import type { Service } from '../client/session';
import { buildPath } from '../client/path';
import { fetchAllPages } from '../client/paginate';

/** A list of the service, and how its entries are told apart. */
export interface ListDefinition {
	url: string;
	action: string;
	/** Key for an entry that is bare text. */
	scalarKey: string;
	/** What an entry should be, for the message about a list without any. */
	expected: string;
	getIdentity(record: IDataObject): { id?: string; name?: string };
}

/** An entry of a list, once however often the list has it. */
export interface ListEntry {
	id: string;
	name?: string;
	/** The entry as answered, the first with this identifier. */
	record: IDataObject;
	/** Further entries with the same identifier. */
	duplicates: IDataObject[];
}

/** The containers of a user (service-api.md, end point 3). */
export const CONTAINER_LIST: ListDefinition = {
	url: '/users/{userId}/containers',
	action: 'list the containers',
	scalarKey: 'uuid',
	expected: 'containers with a uuid',
	getIdentity: getContainerIdentity,
};

/** The contacts of a user (service-api.md, end point 9). */
export const CONTACT_LIST: ListDefinition = {
	url: '/users/{userId}/contacts',
	action: 'list the contacts',
	scalarKey: 'email',
	expected: 'contacts with an email',
	getIdentity: (record) => ({ id: getContactEmail(record) }),
};

/**
 * Reads a whole list, over all its pages.
 *
 * @param service what sends
 * @param kind which list
 * @param userId whose list
 * @returns its entries in the service's order; those that hold nothing, or cannot be told apart, are left out
 * @throws NodeApiError when it cannot be read, or when none of its entries can be told apart
 */
export async function fetchEntries(
	{ client }: Service,
	kind: ListDefinition,
	userId: string,
): Promise<ListEntry[]> {
	const path = buildPath(kind.url, { userId }, { userId: 'User ID' });
	const request = { method: 'GET' as const, path, action: kind.action };
	const entries = await fetchAllPages(client, request, Number.POSITIVE_INFINITY);
	const listed = groupById(entries, kind);
	if (entries.length === 0 || listed.length > 0) return listed;
	throw client.failure(request, {
		kind: 'unexpected',
		expected: kind.expected,
		got: 'a list of entries without an identifier',
	});
}

/**
 * Puts the entries of a list under their identifiers.
 *
 * @param entries the entries as answered
 * @param kind which list
 * @returns each identifier once, in the order in which they come first
 */
export function groupById(
	entries: unknown[],
	{ scalarKey, getIdentity }: ListDefinition,
): ListEntry[] {
	const listed = new Map<string, ListEntry>();
	for (const entry of entries) {
		const record = toRecord(entry, scalarKey);
		const { id, name } = record === undefined ? {} : getIdentity(record);
		if (record === undefined || id === undefined) continue;
		const first = listed.get(id);
		if (first === undefined) listed.set(id, { id, name, record, duplicates: [] });
		else first.duplicates.push(record);
	}
	return [...listed.values()];
}
