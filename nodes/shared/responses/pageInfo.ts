import type { IDataObject } from 'n8n-workflow';

import { isRecord } from './shapes';

/** What a page of a list says about the rest of it. */
export interface PageInfo {
	/** URL of the next page, absolute or relative. */
	nextUrl?: string;
	/** Why there is more although there is no URL to it, in words that follow "because". */
	announcesMore?: string;
	/** How many entries the whole list has. */
	total?: number;
	/** How many pages the whole list has. */
	totalPages?: number;
}

/** Objects that hold the list or the pagination, in the body or in each other. */
const HOLDERS = [
	'data',
	'result',
	'response',
	'links',
	'_links',
	'paging',
	'pagination',
	'page',
	'meta',
	'page_info',
	'pageInfo',
];
const NEXT_URL_KEYS = [
	'next',
	'next_url',
	'nextUrl',
	'next_page_url',
	'nextPageUrl',
	'next_link',
	'nextLink',
	'@odata.nextLink',
	'odata.nextLink',
];
const TOKEN_KEYS = [
	'nextPageToken',
	'next_page_token',
	'nextToken',
	'next_token',
	'next_cursor',
	'nextCursor',
	'next_page',
	'nextPage',
	'continuationToken',
	'continuation_token',
];
const MORE_KEYS = ['has_more', 'hasMore', 'has_next', 'hasNext', 'hasNextPage', 'has_next_page'];
const TOTAL_KEYS = [
	'total',
	'total_count',
	'totalCount',
	'totalElements',
	'total_elements',
	'totalItems',
	'total_items',
	'totalResults',
	'total_results',
	'@odata.count',
];
const TOTAL_PAGES_KEYS = [
	'total_pages',
	'totalPages',
	'page_count',
	'pageCount',
	'last_page',
	'lastPage',
];
/** Such as `data.meta.pagination`. */
const MAX_LEVELS = 3;

/** Parses how a page of a list refers to the rest of the list in its body; docs/openapi.yaml leaves this open. */
export function getPageInfo(body: unknown): PageInfo {
	if (!isRecord(body)) return {};
	const holders = findHolders(body, MAX_LEVELS);
	const nexts = findValues(holders, NEXT_URL_KEYS).map(unwrapLink);
	const nextUrl = nexts.find(isUrl);
	return {
		nextUrl,
		announcesMore: nextUrl === undefined ? findAnnouncement(holders, nexts) : undefined,
		total: findCount(holders, TOTAL_KEYS),
		totalPages: findCount(holders, TOTAL_PAGES_KEYS),
	};
}

function findHolders(body: IDataObject, levels: number): IDataObject[] {
	const held = levels === 0 ? [] : HOLDERS.map((key) => body[key]).filter(isRecord);
	return [body, ...held.flatMap((holder) => findHolders(holder, levels - 1))];
}

function findAnnouncement(holders: IDataObject[], nexts: unknown[]): string | undefined {
	if (nexts.some(isToken)) return 'it has a next page without a URL';
	const [token] = findKeys(holders, TOKEN_KEYS, isToken);
	if (token !== undefined) return `it has a value in "${token}"`;
	const [more] = findKeys(holders, MORE_KEYS, (value) => value === true || value === 'true');
	if (more !== undefined) return `"${more}" is true`;
	return holders.some(({ last }) => last === false) ? '"last" is false' : undefined;
}

function findCount(holders: IDataObject[], keys: string[]): number | undefined {
	const counts = findValues(holders, keys).map((value) =>
		typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
	);
	return counts.find((value): value is number => Number.isSafeInteger(value));
}

function findValues(holders: IDataObject[], keys: string[]): unknown[] {
	return holders.flatMap((holder) =>
		keys.filter((key) => Object.hasOwn(holder, key)).map((key) => holder[key]),
	);
}

function findKeys(
	holders: IDataObject[],
	keys: string[],
	matches: (value: unknown) => boolean,
): string[] {
	return holders.flatMap((holder) =>
		keys.filter((key) => Object.hasOwn(holder, key) && matches(holder[key])),
	);
}

/** Links are text, or an object with `href` or `url`, or a list of one. */
function unwrapLink(value: unknown): unknown {
	const link: unknown = Array.isArray(value) ? value[0] : value;
	return isRecord(link) ? (link.href ?? link.url) : link;
}

function isUrl(value: unknown): value is string {
	return typeof value === 'string' && /^(https?:\/\/|\/|\?)\S+$/i.test(value);
}

function isToken(value: unknown): boolean {
	return (
		(typeof value === 'string' && value.trim() !== '') ||
		typeof value === 'number' ||
		value === true
	);
}
