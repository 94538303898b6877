import type { IDataObject } from 'n8n-workflow';

import { contactAddressOf, containerOf, toRecord } from '../../shared/answers/records';
import type { Service } from '../../shared/run/service';
import { fillPath } from '../../shared/transport/path';
import { readList } from '../../shared/transport/readList';

/** A list of the service, and how its entries are told apart. */
export interface ListKind {
	url: string;
	action: string;
	/** Key for an entry that is bare text. */
	nameOfBare: string;
	/** What an entry should be, for the message about a list without any. */
	expected: string;
	identify(record: IDataObject): { id?: string; name?: string };
}

/** An entry of a list, once however often the list has it. */
export interface Listed {
	id: string;
	name?: string;
	/** The entry as answered, the first with this identifier. */
	record: IDataObject;
	/** Further entries with the same identifier. */
	duplicates: IDataObject[];
}

/** The containers of a user (service-api.md, end point 3). */
export const CONTAINERS: ListKind = {
	url: '/users/{userId}/containers',
	action: 'list the containers',
	nameOfBare: 'uuid',
	expected: 'containers with a uuid',
	identify: containerOf,
};

/** The contacts of a user (service-api.md, end point 9). */
export const CONTACTS: ListKind = {
	url: '/users/{userId}/contacts',
	action: 'list the contacts',
	nameOfBare: 'email',
	expected: 'contacts with an email',
	identify: (record) => ({ id: contactAddressOf(record) }),
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
export async function readListed(
	{ client }: Service,
	kind: ListKind,
	userId: string,
): Promise<Listed[]> {
	const path = fillPath(kind.url, { userId }, { userId: 'User ID' });
	const request = { method: 'GET' as const, path, action: kind.action };
	const entries = await readList(client, request, Number.POSITIVE_INFINITY);
	const listed = tellApart(entries, kind);
	if (entries.length === 0 || listed.length > 0) return listed;
	throw client.failure(request, {
		kind: 'unexpected',
		expected: kind.expected,
		got: 'a list of entries without one',
	});
}

/**
 * Puts the entries of a list under their identifiers.
 *
 * @param entries the entries as answered
 * @param kind which list
 * @returns each identifier once, in the order in which they come first
 */
export function tellApart(entries: unknown[], { nameOfBare, identify }: ListKind): Listed[] {
	const listed = new Map<string, Listed>();
	for (const entry of entries) {
		const record = toRecord(entry, nameOfBare);
		const { id, name } = record === undefined ? {} : identify(record);
		if (record === undefined || id === undefined) continue;
		const first = listed.get(id);
		if (first === undefined) listed.set(id, { id, name, record, duplicates: [] });
		else first.duplicates.push(record);
	}
	return [...listed.values()];
}
