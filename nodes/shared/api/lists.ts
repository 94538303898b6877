import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient, ServiceRequest } from '../client/client';
import { fetchAllPages } from '../client/paginate';
import { buildPath } from '../client/path';
import { getContactEmail, getContainerIdentity, toRecord } from './records';

export interface ListDefinition {
	segment: string;
	action: string;
	/** Key for an entry that is text or a number. */
	scalarKey: string;
	expected: string;
	getIdentity(record: IDataObject): { id?: string; name?: string };
}

export interface ListEntry {
	id: string;
	name?: string;
	record: IDataObject;
	duplicates: IDataObject[];
}

/** docs/openapi.yaml, listContainers */
export const CONTAINER_LIST: ListDefinition = {
	segment: 'containers',
	action: 'list the containers',
	scalarKey: 'uuid',
	expected: 'containers with a uuid',
	getIdentity: getContainerIdentity,
};

/** docs/openapi.yaml, listContacts */
export const CONTACT_LIST: ListDefinition = {
	segment: 'contacts',
	action: 'list the contacts',
	scalarKey: 'email',
	expected: 'contacts with an email',
	getIdentity: (record) => ({ id: getContactEmail(record) }),
};

export interface ListOptions extends Pick<ServiceRequest, 'acceptRest'> {
	query?: Array<[string, string]>;
	limit?: number;
	matches?: (record: IDataObject) => boolean;
	/** What some entry must show, because entries are found by it. */
	needs?: 'id' | 'name';
}

export async function fetchList(
	client: ServiceClient,
	list: ListDefinition,
	userId: string,
	options: ListOptions = {},
): Promise<IDataObject[]> {
	const { query = [], limit = Infinity, matches, needs, acceptRest } = options;
	const { segment, action, scalarKey, expected, getIdentity } = list;
	const search = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
	const path = `${buildPath(['users', userId, segment])}${search}`;
	const request = { method: 'GET', path, action, acceptRest } as const;
	/** Whether records show what is needed. */
	const shown = new Set<boolean>();
	const convert = (entry: unknown) => {
		const record = toRecord(entry, scalarKey);
		if (record === undefined) return undefined;
		shown.add(needs === undefined || getIdentity(record)[needs] !== undefined);
		return matches === undefined || matches(record) ? record : undefined;
	};
	// Not by the address alone: a service can have two contacts of one, and two addresses of one person.
	const identify = (entry: unknown) => {
		const record = toRecord(entry, scalarKey) ?? {};
		const { id } = getContainerIdentity(record);
		return id && `${id} ${getIdentity(record).id}`;
	};
	const records = await fetchAllPages(client, request, limit, convert, identify);
	if (shown.has(true) || !shown.has(false)) return records;
	throw client.createError(request, {
		kind: 'unexpected',
		expected: needs === 'id' ? expected : `${segment} with a name`,
		received: `a list of entries without ${needs === 'id' ? 'an identifier' : 'a name'}`,
	});
}

/** The contacts of a user as the service shows them: not redacted, to be compared with what people enter. */
export async function fetchContacts(client: ServiceClient, userId: string, options?: ListOptions) {
	const records = await fetchList(client, CONTACT_LIST, userId, options);
	return groupById(records, CONTACT_LIST);
}

/** In their order; records without an identifier are left out. */
export function groupById(records: IDataObject[], { getIdentity }: ListDefinition): ListEntry[] {
	const entries = new Map<string, ListEntry>();
	for (const record of records) {
		const { id, name } = getIdentity(record);
		if (id === undefined) continue;
		const first = entries.get(id);
		if (first === undefined) entries.set(id, { id, name, record, duplicates: [] });
		else first.duplicates.push(record);
	}
	return [...entries.values()];
}
