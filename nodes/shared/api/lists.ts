import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient, ServiceRequest } from '../client/client';
import { fetchAllPages } from '../client/paginate';
import { buildPath } from '../client/path';
import type { QueryParameters } from '../parameters/query';
import { isRecord } from '../responses/shapes';
import { getContactEmail, getContainerIdentity } from './records';

/** A list of docs/openapi.yaml below a user. */
export interface ListDefinition {
	/** Its path below that of the user. */
	segments: string[];
	action: string;
	/** What each entry is. */
	expected: string;
	getIdentity(record: IDataObject): { id?: string; name?: string };
}

export interface ListEntry {
	id: string;
	name?: string;
	record: IDataObject;
}

export const CONTAINER_LIST: ListDefinition = {
	segments: ['containers'],
	action: 'list the containers',
	expected: 'containers with a uuid',
	getIdentity: getContainerIdentity,
};

export const CONTACT_LIST: ListDefinition = {
	segments: ['contacts'],
	action: 'list the contacts',
	expected: 'contacts with an email',
	getIdentity: (record) => ({ id: getContactEmail(record) }),
};

export interface ListOptions extends Pick<ServiceRequest, 'acceptRest'> {
	query?: QueryParameters;
	limit?: number;
	matches?: (record: IDataObject) => boolean;
}

/** All entries that match, or as many as the limit allows, each once. @throws NodeApiError for one that is no object */
export async function fetchList(
	client: ServiceClient,
	list: ListDefinition,
	userId: string,
	{ query, limit = Infinity, matches, acceptRest }: ListOptions = {},
): Promise<IDataObject[]> {
	const request = { ...createListRequest(list, userId, query), acceptRest };
	const convert = (entry: unknown) => {
		if (!isRecord(entry)) throw createEntryError(client, request, list, 'that is no object');
		return matches === undefined || matches(entry) ? entry : undefined;
	};
	const identify = (entry: unknown) => (isRecord(entry) ? list.getIdentity(entry).id : undefined);
	return await fetchAllPages(client, request, limit, convert, identify);
}

/** As fetchList, with the identifiers of the entries. @throws NodeApiError also for one without an identifier */
export async function fetchEntries(
	client: ServiceClient,
	list: ListDefinition,
	userId: string,
	options: ListOptions = {},
): Promise<ListEntry[]> {
	const records = await fetchList(client, list, userId, options);
	return records.map((record) => {
		const { id, name } = list.getIdentity(record);
		if (id !== undefined) return { id, name, record };
		const request = createListRequest(list, userId, options.query);
		throw createEntryError(client, request, list, 'without an identifier');
	});
}

function createListRequest(
	{ segments, action }: ListDefinition,
	userId: string,
	query: QueryParameters = [],
): ServiceRequest {
	const path = buildPath(['users', userId, ...segments]);
	const search = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
	return { method: 'GET', path: `${path}${search}`, action };
}

function createEntryError(
	client: ServiceClient,
	request: ServiceRequest,
	{ expected }: ListDefinition,
	problem: string,
): Error {
	const received = `a list with an entry ${problem}`;
	return client.createError(request, { kind: 'unexpected', expected, received });
}
