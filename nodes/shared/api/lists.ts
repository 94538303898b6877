import { UserError, type IDataObject } from 'n8n-workflow';

import type { Client } from '../client/client';
import { buildPath, type QueryParameters } from '../parameters/requests';
import type { Page } from '../responses/page';
import { isRecord } from '../responses/shapes';
import { takeBreak } from '../responses/takeBreak';
import { readRecord, withContainerId } from './records';

/** In a row. */
const MAX_PAGES_WITHOUT_NEW = 20;

/** docs/openapi.yaml, Limit. */
const MAX_EVENTS_OF_PAGE = '1000';

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
	{ query = [], limit = Infinity, matches, entries = [], onRest }: ListOptions = {},
): Promise<ListEntry[]> {
	const { baseUrl } = client.connection;
	const search = new URLSearchParams(query).toString();
	let url = `${baseUrl}${buildPath(['users', userId, ...segments])}${search && `?${search}`}`;
	const action = `list the ${segments.at(-1)}`;
	const request = { method: 'GET', path: url, action, subject: { containerId } } as const;
	const createError = (wanted: string, received: string, advice?: string) =>
		client.createError(request, { kind: 'unexpected', expected: wanted, received, advice });
	const known = new Set<string>();
	let total: Page['total'];
	let count = 0;
	let pagesWithoutNew = 0;
	for (;;) {
		const page = await client.requestPage({ ...request, path: url });
		const own: string[] = [];
		for (const value of page.entries) {
			const record = isRecord(value) ? value : {};
			const { id, name } = getIdentity(record);
			if (id === undefined) throw createError(expected, 'an entry without an identifier');
			// Something new has pushed it from the page before.
			if (known.has(id)) continue;
			own.push(id);
			const entry = { id, name, record };
			if (matches?.(entry) !== false) entries.push(entry);
			if (entries.length >= limit) return entries;
			await takeBreak();
		}
		for (const id of own) known.add(id);
		count += own.length;
		// The first: in a list that shrinks while it is read, entries move to pages that were read before.
		total ??= page.total;
		if (page.nextUrl === undefined) {
			const rest = page.more ?? (Number(total?.value) > count ? total : undefined);
			if (rest === undefined) return entries;
			const reason = `"${rest.name}" is ${JSON.stringify(rest.value)}`;
			if (onRest === undefined) {
				const received = `${count} entries, but there might be more because ${reason}, and no link to them,`;
				throw createError('the whole list', received, ADVICE);
			}
			onRest(reason);
			return entries;
		}
		pagesWithoutNew = own.length === 0 ? pagesWithoutNew + 1 : 0;
		if (pagesWithoutNew > MAX_PAGES_WITHOUT_NEW) {
			throw createError('a list that ends', `${pagesWithoutNew} pages without a new entry`, ADVICE);
		}
		const next = resolveLink(page.nextUrl, url, baseUrl);
		if (next === undefined) {
			throw createError(`one on ${client.origin}`, `a link to ${page.nextUrl}`, ADVICE);
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
	{ containerId, query = [], ...options }: ListOptions & { containerId?: string },
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
	const entries = await fetchEntries(client, list, userId, {
		...options,
		query: [...query, ['limit', MAX_EVENTS_OF_PAGE]],
	});
	return entries.map(({ record }) => withContainerId(String(record.container_id), record));
}
