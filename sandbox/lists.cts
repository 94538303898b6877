import { createHash } from 'node:crypto';
import type { ServiceResponse } from './responses.cts';
import { invalid, jsonResponse } from './responses.cts';
import type { ListShape, NextLink, SandboxSettings } from './settings.cts';

export interface ListedEntry {
	/** Identifies the entry. */
	key: string;
	/** The fields that a query can filter by. */
	fields: Record<string, unknown>;
	/** The entry in the response. */
	value: unknown;
}

const CURSOR = 'cursor';

/**
 * A list, ordered, filtered, paged and shaped as the settings say. Each page but the last links to the next one
 * (RFC 8288).
 *
 * @param url of the request, as clients reach the service
 * @throws ServiceError 400 for a cursor that isn't from this service
 */
export function listResponse(
	entries: ListedEntry[],
	url: URL,
	{ status, shape, settings }: { status: number; shape: ListShape; settings: SandboxSettings },
): ServiceResponse {
	const sorted = sort(settings.filterByQuery ? filter(entries, url) : entries, settings);
	const start = parseCursor(url.searchParams.get(CURSOR));
	const end = settings.pageSize > 0 ? start + settings.pageSize : sorted.length;
	const page = sorted.slice(start, end).map((entry) => entry.value);
	const body = shape === 'array' ? page : { [shape]: page, count: page.length };
	const response = jsonResponse(status, body);
	if (end >= sorted.length) return response;
	const to = (offset: number, origin = '') => {
		const query = new URLSearchParams(url.searchParams);
		query.set(CURSOR, toCursor(offset));
		return `${origin}${url.pathname}?${query}`;
	};
	const links: Record<NextLink, string> = {
		absolute: to(end, url.origin),
		relative: to(end),
		repeat: to(start, url.origin),
		otherOrigin: to(end, settings.otherOrigin),
	};
	return { ...response, headers: { link: `<${links[settings.nextLink]}>; rel="next"` } };
}

function sort(entries: ListedEntry[], { listOrder }: SandboxSettings): ListedEntry[] {
	if (listOrder === 'created') return entries;
	if (listOrder === 'reversed') return [...entries].reverse();
	const hash = ({ key }: ListedEntry) => createHash('sha256').update(key).digest('hex');
	return [...entries].sort((one, other) => hash(one).localeCompare(hash(other)));
}

function filter(entries: ListedEntry[], url: URL): ListedEntry[] {
	const wanted = [...url.searchParams].filter(([name]) => name !== CURSOR);
	return entries.filter(({ fields }) =>
		wanted.every(([name, value]) => !Object.hasOwn(fields, name) || String(fields[name]) === value),
	);
}

const toCursor = (offset: number) => Buffer.from(`after:${offset}`).toString('base64url');

function parseCursor(cursor: string | null): number {
	if (cursor === null) return 0;
	const match = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString());
	if (match === null) throw invalid('The cursor is not valid');
	return Number(match[1]);
}
