import { UserError, type IDataObject } from 'n8n-workflow';

import type { Client } from '../client/client';
import { buildPath, type QueryParameters } from '../parameters/requests';
import type { Page } from '../responses/page';
import { isRecord } from '../responses/shapes';
import { takeBreak } from '../responses/takeBreak';
import { getContactEmail, getContainerIdentity, withContainerId } from './records';

/** How many pages in a row can be without a new entry. */
const MAX_PAGES_WITHOUT_NEW = 20;

/** The most events of a page (docs/openapi.yaml, Limit). */
const MAX_EVENTS_OF_PAGE = 1000;

const ADVICE =
	'Try again: the list might have changed while it was read. If the error persists, report this response to the operator of the service. Get Many with a low "Limit" and without filters still works.';

/** A list of docs/openapi.yaml below a user. */
export interface ListDefinition {
	/** Its path below that of the user. */
	segments: string[];
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
	expected: 'containers with a uuid',
	getIdentity: getContainerIdentity,
};

export const CONTACT_LIST: ListDefinition = {
	segments: ['contacts'],
	expected: 'contacts with an email',
	getIdentity: (record) => ({ id: getContactEmail(record) }),
};

export interface ListOptions {
	query?: QueryParameters;
	limit?: number;
	matches?: (record: IDataObject) => boolean;
	/** Whether a part of the list is enough. It gets what says that there is more. */
	acceptRest?: (rest: string) => boolean;
}

/**
 * All entries that match, or as many as the limit allows, each once.
 *
 * @throws ServiceError also for an entry without an identifier, and for a list that can't be read to its end: what is
 * missing would count as deleted
 */
export async function fetchEntries(
	client: Client,
	{ segments, expected, getIdentity, containerId }: ListDefinition,
	userId: string,
	{ query = [], limit = Infinity, matches = () => true, acceptRest }: ListOptions = {},
): Promise<ListEntry[]> {
	const { baseUrl } = client.connection;
	const search = query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
	let url = `${baseUrl}${buildPath(['users', userId, ...segments])}${search}`;
	const action = `list the ${segments.at(-1)}`;
	const request = { method: 'GET', path: url, action, subject: { containerId } } as const;
	const createError = (what: string, received: string, advice?: string) =>
		client.createError(request, { kind: 'unexpected', expected: what, received, advice });
	const entries: ListEntry[] = [];
	const known = new Set<string>();
	let total: Page['total'];
	let found = 0;
	let pagesWithoutNew = 0;
	for (;;) {
		const page = await client.requestPage({ ...request, path: url });
		const own: string[] = [];
		for (const entry of page.entries) {
			const record = isRecord(entry) ? entry : {};
			const { id, name } = getIdentity(record);
			if (id === undefined) {
				throw createError(expected, 'a list with an entry without an identifier');
			}
			// Something new has pushed it from the page before.
			if (known.has(id)) continue;
			own.push(id);
			if (matches(record)) entries.push({ id, name, record });
			if (entries.length >= limit) return entries;
			await takeBreak();
		}
		for (const id of own) known.add(id);
		found += own.length;
		// The first: in a list that shrinks while it is read, entries move to pages that were read before.
		total ??= page.total;
		if (page.nextUrl === undefined) {
			const rest = page.more ?? (Number(total?.value) > found ? total : undefined);
			if (rest === undefined) return entries;
			const reason = `"${rest.name}" is ${JSON.stringify(rest.value)}`;
			if (acceptRest?.(reason)) return entries;
			const received = `${found} entries, but there might be more because ${reason}, and no link to them,`;
			throw createError('the whole list', received, ADVICE);
		}
		pagesWithoutNew = own.length === 0 ? pagesWithoutNew + 1 : 0;
		if (pagesWithoutNew > MAX_PAGES_WITHOUT_NEW) {
			const received = `${pagesWithoutNew} pages without a new entry`;
			throw createError('a list that ends', received, ADVICE);
		}
		const next = resolveLink(page.nextUrl, url, baseUrl);
		if (next === undefined) {
			const place = `a link to its next page on ${client.origin}`;
			throw createError(place, `a link to ${page.nextUrl}`, ADVICE);
		}
		url = next;
	}
}

/**
 * The URL of a link to the next page of a list: absolute, or relative to the list, the base URL or the host. Undefined on
 * another host: only the own one gets the API key.
 */
function resolveLink(link: string, listUrl: string, baseUrl: string): string | undefined {
	const { origin, host, pathname } = new URL(`${baseUrl}/`);
	const isBelowBase = /^(?![a-z][\w+.-]*:)\/?[^/?]/i.test(link) && !link.startsWith(pathname);
	const target = isBelowBase ? `${pathname}${link.replace(/^\//, '')}` : link;
	if (!URL.canParse(target, listUrl)) return undefined;
	const next = new URL(target, listUrl);
	// A service behind a proxy may take itself to be on plain HTTP.
	return next.host === host ? `${origin}${next.pathname}${next.search}` : undefined;
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
	{ containerId, ...options }: ListOptions & { containerId?: string },
): Promise<IDataObject[]> {
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
	const { query = [], limit = Infinity, matches } = options;
	// Those that match can be few of a page.
	const pageSize = matches ? MAX_EVENTS_OF_PAGE : Math.min(limit, MAX_EVENTS_OF_PAGE);
	const entries = await fetchEntries(client, list, userId, {
		...options,
		query: [...query, ['limit', String(pageSize)]],
	});
	return entries.map(({ record }) => withContainerId(String(record.container_id), record));
}
