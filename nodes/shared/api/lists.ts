import type { IDataObject } from 'n8n-workflow';

import type { Client, ServiceRequest } from '../client/client';
import { fetchAllPages } from '../client/paginate';
import { buildPath } from '../client/path';
import type { QueryParameters } from '../parameters/requestSettings';
import { isRecord } from '../responses/shapes';
import { getContactEmail, getContainerIdentity } from './records';

/** A list of docs/openapi.yaml below a user. */
export interface ListDefinition {
	/** Its path below that of the user. */
	segments: string[];
	action: string;
	/** The container that it is about. */
	containerId?: string;
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

/**
 * All entries that match, or as many as the limit allows, each once.
 *
 * @throws ServiceError also for an entry without an identifier
 */
export async function fetchEntries(
	client: Client,
	{ segments, action, expected, getIdentity, containerId }: ListDefinition,
	userId: string,
	{ query = [], limit = Infinity, matches = () => true, acceptRest }: ListOptions = {},
): Promise<ListEntry[]> {
	const path = buildPath(['users', userId, ...segments]);
	const search = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
	const about = { action, subject: { containerId } };
	const request = { method: 'GET', path: `${path}${search}`, ...about, acceptRest } as const;
	const identify = (entry: unknown) => (isRecord(entry) ? getIdentity(entry).id : undefined);
	const convert = (entry: unknown) => {
		const record = isRecord(entry) ? entry : {};
		const { id, name } = getIdentity(record);
		if (id !== undefined) return matches(record) ? { id, name, record } : undefined;
		const received = 'a list with an entry without an identifier';
		throw client.createError(request, { kind: 'unexpected', expected, received });
	};
	return await fetchAllPages(client, request, limit, convert, identify);
}
