import { createHash } from 'node:crypto';
import type { ServiceResponse } from './response.cts';
import { jsonResponse } from './response.cts';
import { invalid } from './errors.cts';
import type { ListShape, NextLink, SandboxSettings } from '../settings.cts';

export interface ListedEntry {
	/** Identifies the entry. */
	key: string;
	/** The fields that a query can filter by. */
	fields: Record<string, unknown>;
	/** The entry in the response. */
	value: unknown;
}

export interface ListRequest {
	/** The path and query as sent. */
	path: string;
	/** Of the service, for absolute links to the next page. */
	origin: string;
	status: number;
	shape: ListShape;
	settings: SandboxSettings;
}

const CURSOR = 'cursor';

/**
 * A list, ordered, filtered, paged and shaped as the settings say. Each page but the last links to the next one
 * (RFC 8288).
 *
 * @throws ServiceError 400 for a cursor that isn't from this service
 */
export function listResponse(
	entries: ListedEntry[],
	{ path, origin, status, shape, settings }: ListRequest,
): ServiceResponse {
	const url = new URL(path, origin);
	const sorted = sort(settings.filterByQuery ? filter(entries, url) : entries, settings);
	const start = parseCursor(url.searchParams.get(CURSOR));
	const end = settings.pageSize > 0 ? start + settings.pageSize : sorted.length;
	const page = sorted.slice(start, end).map((entry) => entry.value);
	const response = jsonResponse(
		status,
		shape === 'array' ? page : { [shape]: page, count: page.length },
	);
	if (end >= sorted.length) return response;
	return { ...response, headers: { link: linkHeader(url, { start, end }, settings) } };
}

function sort(entries: ListedEntry[], settings: SandboxSettings): ListedEntry[] {
	if (settings.listOrder === 'reversed') return [...entries].reverse();
	if (settings.listOrder === 'created') return entries;
	return entries
		.map((entry) => ({ entry, hash: hash(`${settings.shuffleSeed}:${entry.key}`) }))
		.sort((a, b) => a.hash.localeCompare(b.hash))
		.map(({ entry }) => entry);
}

/** Each seed has another order. */
function hash(text: string): string {
	return createHash('sha256').update(text).digest('hex');
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

function linkHeader(
	url: URL,
	{ start, end }: { start: number; end: number },
	{ nextLink, otherOrigin }: SandboxSettings,
): string {
	const to = (offset: number, origin = '') => {
		const query = new URLSearchParams(url.searchParams);
		query.set(CURSOR, toCursor(offset));
		return `<${origin}${url.pathname}?${query}>`;
	};
	const links: Record<NextLink, () => string> = {
		absolute: () => `${to(end, url.origin)}; rel="next"`,
		relative: () => `${to(end)}; rel="next"`,
		amongOthers: () =>
			`${to(0)}; rel="first"; title="a, b; rel=next", ${to(end)}; title="more"; rel="next last-seen"`,
		repeat: () => `${to(start, url.origin)}; rel="next"`,
		otherOrigin: () => `${to(end, otherOrigin)}; rel="next"`,
	};
	return links[nextLink]();
}
