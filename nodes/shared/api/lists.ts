import type { IDataObject } from 'n8n-workflow';

import type { Client, ServiceRequest } from '../client/client';
import { endpoints, toRequest, type Endpoint } from '../client/endpoints';
import type { ServiceError } from '../errors/errors';
import type { QueryParameters } from '../parameters/requests';
import type { Page } from '../responses/page';
import { isRecord } from '../responses/shapes';
import { takeBreak } from '../responses/takeBreak';
import { fetchPages, LIST_ADVICE } from './paging';
import { readRecord } from './records';

/** In a row. */
const MAX_PAGES_WITHOUT_NEW = 20;

/** docs/openapi.yaml, Limit. */
export const MAX_PAGE_SIZE = 1000;

/** A list of docs/openapi.yaml. */
export interface ListDefinition {
	endpoint: Endpoint;
	/** What it has, in a sentence. */
	records: 'containers' | 'contacts' | 'events' | 'file requests';
	/** The container that it is about. */
	containerId?: string;
	expected: string;
	/** What an entry lacks that isn't as expected, where it is something else than an identifier. */
	missing?: string;
	getIdentity(record: IDataObject): { id?: string; name?: string };
}

export interface ListEntry {
	id: string;
	name?: string;
	record: IDataObject;
}

export const CONTAINER_LIST: ListDefinition = {
	endpoint: endpoints.listContainers,
	records: 'containers',
	expected: 'containers with a uuid',
	getIdentity: (record) => readRecord('container', record),
};

export const CONTACT_LIST: ListDefinition = {
	endpoint: endpoints.listContacts,
	records: 'contacts',
	expected: 'contacts with an email',
	getIdentity: (record) => readRecord('contact', record),
};

export const REQUEST_LIST: ListDefinition = {
	endpoint: endpoints.listRequests,
	records: 'file requests',
	expected: 'file requests with a uuid',
	getIdentity: (record) => readRecord('request', record),
};

export interface ListOptions {
	query?: QueryParameters;
	limit?: number;
	matches?: (entry: ListEntry) => boolean;
	/** Where they go as they come: there they also are when the list fails later. */
	entries?: ListEntry[];
	/** Called with what says that there is more, where a part of the list is enough. */
	onRest?: (rest: string) => void;
}

/**
 * All entries that match, or as many as the limit allows, each once.
 *
 * @throws ServiceError also for an entry without an identifier, and for a list that can't be read to its end: what is
 * missing would count as deleted
 */
export async function fetchEntries(
	client: Client,
	list: ListDefinition,
	userId: string,
	{ query = [], limit = Infinity, matches, entries = [], onRest }: ListOptions = {},
): Promise<ListEntry[]> {
	const request = createListRequest(client, list, userId, query);
	const collector = new Collector(client, list, request);
	for await (const page of fetchPages(client, request)) {
		for (const entry of await collector.add(page)) {
			if (matches?.(entry) !== false) entries.push(entry);
			if (entries.length >= limit) return entries;
		}
	}
	collector.end(onRest);
	return entries;
}

function createListRequest(
	client: Client,
	{ endpoint, records, containerId }: ListDefinition,
	userId: string,
	query: QueryParameters,
): ServiceRequest {
	const { method, path } = toRequest(endpoint, { userId, containerId });
	const url = `${client.connection.baseUrl}${path}`;
	const search = new URLSearchParams(query).toString();
	return {
		method,
		path: search === '' ? url : `${url}?${search}`,
		action: `list the ${records}`,
		subject: { containerId },
	};
}

/** What the pages of a list have had so far. */
class Collector {
	private readonly known = new Set<string>();
	private count = 0;
	private pagesWithoutNew = 0;
	private total: Page['total'];
	private rest: Page['more'];

	constructor(
		private readonly client: Client,
		private readonly list: ListDefinition,
		private readonly request: ServiceRequest,
	) {}

	/** @returns the entries that no page before it had: something new can push an entry to the next page */
	async add(page: Page): Promise<ListEntry[]> {
		const found = await toEntries(page, this.list);
		if (found === undefined) {
			const { expected, missing = 'an identifier' } = this.list;
			throw this.createError(expected, `an entry without ${missing}`);
		}
		const newEntries = found.filter(({ id }) => !this.known.has(id));
		for (const { id } of newEntries) this.known.add(id);
		this.count += newEntries.length;
		this.pagesWithoutNew = newEntries.length === 0 ? this.pagesWithoutNew + 1 : 0;
		if (page.nextUrl !== undefined && this.pagesWithoutNew > MAX_PAGES_WITHOUT_NEW) {
			const received = `${this.pagesWithoutNew} pages without a new entry`;
			throw this.createError('a list that ends', received, LIST_ADVICE);
		}
		// The first: in a list that shrinks while it is read, entries move to pages that were read before.
		this.total ??= page.total;
		const isLess = Number(this.total?.value) > this.count;
		this.rest = page.more ?? (isLess ? this.total : undefined);
		return newEntries;
	}

	/** After the last page. @throws ServiceError where there might be more, unless that is only told */
	end(onRest?: (rest: string) => void): void {
		if (this.rest === undefined) return;
		const reason = `"${this.rest.name}" is ${JSON.stringify(this.rest.value)}`;
		if (onRest !== undefined) return onRest(reason);
		const received = `${this.count} entries, but there might be more because ${reason}, and no link to them,`;
		throw this.createError('the whole list', received, LIST_ADVICE);
	}

	private createError(expected: string, received: string, advice?: string): ServiceError {
		return this.client.createError(this.request, {
			kind: 'unexpected',
			expected,
			received,
			advice,
		});
	}
}

/** Undefined where one has no identifier. */
async function toEntries(page: Page, { getIdentity }: ListDefinition) {
	const entries: ListEntry[] = [];
	for (const value of page.entries) {
		const record = isRecord(value) ? value : {};
		const { id, name } = getIdentity(record);
		if (id === undefined) return undefined;
		entries.push({ id, name, record });
		await takeBreak();
	}
	return entries;
}
