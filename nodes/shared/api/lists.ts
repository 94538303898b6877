import { UserError, type IDataObject } from 'n8n-workflow';

import type { Client, ServiceRequest } from '../client/client';
import { buildPath, type QueryParameters } from '../parameters/requests';
import type { Page } from '../responses/page';
import { isRecord } from '../responses/shapes';
import { takeBreak } from '../responses/takeBreak';
import { readRecord, withContainerId } from './records';

/** In a row. */
const MAX_PAGES_WITHOUT_NEW = 20;

/** docs/openapi.yaml, Limit. */
const MAX_PAGE_SIZE = 1000;

const ADVICE =
	'Try again: the list might have changed while it was read. If the error persists, report this response to the operator of the service. Get Many with a low "Limit" and without filters still works.';

/** A list of docs/openapi.yaml. */
export interface ListDefinition {
	/** Its path below that of the user. */
	segments: string[];
	/** The container that it is about. */
	containerId?: string;
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
	expected: 'containers with a uuid',
	getIdentity: (record) => readRecord('container', record),
};

export const CONTACT_LIST: ListDefinition = {
	segments: ['contacts'],
	expected: 'contacts with an email',
	getIdentity: (record) => readRecord('contact', record),
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

export interface EventOptions extends ListOptions {
	/** Of one container; otherwise of all. */
	containerId?: string;
	/** Less where the first ones are enough. */
	pageSize?: number;
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
	for await (const newEntries of readPages(client, list, request, onRest)) {
		for (const entry of newEntries) {
			if (matches?.(entry) !== false) entries.push(entry);
			if (entries.length >= limit) return entries;
		}
	}
	return entries;
}

/** Of each page, the entries that no page before it had: something new can push an entry to the next page. */
async function* readPages(
	client: Client,
	list: ListDefinition,
	request: ServiceRequest,
	onRest?: (rest: string) => void,
): AsyncGenerator<ListEntry[]> {
	const createError = (expected: string, received: string, advice?: string) =>
		client.createError(request, { kind: 'unexpected', expected, received, advice });
	const known = new Set<string>();
	let count = 0;
	let pagesWithoutNew = 0;
	let total: Page['total'];
	let rest: Page['more'];
	for await (const page of fetchPages(client, request)) {
		const found = await toEntries(page, list);
		if (found === undefined) throw createError(list.expected, 'an entry without an identifier');
		const newEntries = found.filter(({ id }) => !known.has(id));
		yield newEntries;
		for (const { id } of newEntries) known.add(id);
		count += newEntries.length;
		pagesWithoutNew = newEntries.length === 0 ? pagesWithoutNew + 1 : 0;
		if (page.nextUrl !== undefined && pagesWithoutNew > MAX_PAGES_WITHOUT_NEW) {
			const received = `${pagesWithoutNew} pages without a new entry`;
			throw createError('a list that ends', received, ADVICE);
		}
		// The first: in a list that shrinks while it is read, entries move to pages that were read before.
		total ??= page.total;
		rest = page.more ?? (Number(total?.value) > count ? total : undefined);
	}
	if (rest === undefined) return;
	const reason = `"${rest.name}" is ${JSON.stringify(rest.value)}`;
	if (onRest !== undefined) return onRest(reason);
	const received = `${count} entries, but there might be more because ${reason}, and no link to them,`;
	throw createError('the whole list', received, ADVICE);
}

/** Follows the links from the first page to the last one. */
async function* fetchPages(client: Client, request: ServiceRequest): AsyncGenerator<Page> {
	const { baseUrl } = client.connection;
	let url: string | undefined = request.path;
	while (url !== undefined) {
		const page: Page = await client.requestPage({ ...request, path: url });
		yield page;
		if (page.nextUrl === undefined) return;
		const next = resolveLink(page.nextUrl, url, baseUrl);
		if (next === undefined) {
			const received = `"${page.nextUrl}" as the link to the next page`;
			const failure = { kind: 'unexpected', expected: 'a URL', received, advice: ADVICE } as const;
			throw client.createError(request, failure);
		}
		url = next;
	}
}

function createListRequest(
	client: Client,
	{ segments, containerId }: ListDefinition,
	userId: string,
	query: QueryParameters,
): ServiceRequest {
	const path = `${client.connection.baseUrl}${buildPath(['users', userId, ...segments])}`;
	const search = new URLSearchParams(query).toString();
	return {
		method: 'GET',
		path: search === '' ? path : `${path}?${search}`,
		action: `list the ${segments.at(-1)}`,
		subject: { containerId },
	};
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

/**
 * The URL of a link to the next page of a list: absolute, or relative to the list, the base URL or the host. Only its path
 * and query count: a service can take itself to have another name, and only the origin of the base URL gets the API key.
 */
function resolveLink(link: string, listUrl: string, baseUrl: string): string | undefined {
	const { origin, pathname } = new URL(`${baseUrl}/`);
	const isBelowBase = /^(?![a-z][\w+.-]*:)\/?[^/?]/i.test(link) && !link.startsWith(pathname);
	const target = isBelowBase ? `${pathname}${link.replace(/^\//, '')}` : link;
	if (!URL.canParse(target, listUrl)) return undefined;
	const next = new URL(target, listUrl);
	return /^https?:$/.test(next.protocol) ? `${origin}${next.pathname}${next.search}` : undefined;
}

/**
 * What happened to the containers of a user, or to one of them, with the `containerId` of each event (docs/openapi.yaml,
 * listEvents, listContainerEvents).
 *
 * @throws UserError also where the `features` of the service lack its events
 */
export async function fetchEvents(
	client: Client,
	userId: string,
	options: EventOptions = {},
): Promise<IDataObject[]> {
	const { containerId, query = [], pageSize = MAX_PAGE_SIZE } = options;
	const { features } = await client.getCurrentUser();
	if (!features.includes('events')) {
		throw new UserError("The service doesn't tell who opens containers", {
			description:
				'Container Opened, Access Refused and Get Activity need a service that lists its events: its response to GET /me has "events" in "features". Ask the operator of the service for a version that does.',
		});
	}
	const folder = containerId === undefined ? [] : ['containers', containerId];
	const list: ListDefinition = {
		segments: [...folder, 'events'],
		containerId,
		expected: 'events with an id',
		getIdentity: ({ id }) => ({ id: id === undefined ? undefined : String(id) }),
	};
	const entries = await fetchEntries(client, list, userId, {
		...options,
		query: [...query, ['limit', String(pageSize)]],
	});
	return entries.map(({ record }) => withContainerId(String(record.container_id), record));
}
