import { createHash } from 'crypto';

import type { Page, ServiceClient, ServiceRequest } from './client';
import { takeBreak } from './takeBreak';

const LINK = /<([^<>]*)>\s*((?:;\s*[^\s=;,]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]+)\s*)?)*)/g;

/** How many pages in a row may have no new entry, and how many pages a list may have. */
const MAX_EMPTY_PAGES = 20;
const MAX_PAGES = 100_000;

/** How many entries and bytes a list may have; a service can return pages without end. */
const MAX_ENTRIES = 1_000_000;
const MAX_BYTES = 512_000_000;

/** The first page of a list. */
export interface ListRequest extends ServiceRequest {
	/** Appended to the path: empty, or starts with `?`. */
	search?: string;
	/** Whether an empty response counts as an empty list. */
	isEmptyAllowed?: boolean;
}

/**
 * Fetches all pages of a list, or as many as the limit needs: by `Link: …; rel="next"` (RFC 8288), or by a URL in the
 * body (getPageInfo).
 *
 * @param keep which entries count; all but null
 * @returns the entries in the service's order
 * @throws NodeApiError when a page links to a URL that is not below the base URL or to one that was already fetched, or
 *   when the list has more entries than can be fetched
 */
export async function fetchAllPages(
	client: ServiceClient,
	{ search = '', ...request }: ListRequest,
	limit: number,
	keep: (entry: unknown) => boolean = (entry) => entry !== null,
): Promise<unknown[]> {
	const entries: unknown[] = [];
	const seen = new Set<string>();
	let url: string | undefined = client.resolveUrl(`${request.path}${search}`);
	let emptyPages = 0;
	let received = 0;
	let bytes = 0;
	for (let pageCount = 1; url !== undefined; pageCount += 1) {
		if (seen.has(url)) throw repeatedPageError(client, request);
		seen.add(url);
		const page: Page = await client.requestPage({ ...request, path: url });
		const nextUrl = getNextUrl(page, url);
		if (pageCount > 1 || nextUrl !== undefined) {
			const content = hashPage(page.entries);
			if (page.entries.length > 0 && seen.has(content)) throw repeatedPageError(client, request);
			seen.add(content);
			await takeBreak();
		}
		received += page.entries.length;
		bytes += page.size;
		for (const entry of page.entries) {
			if (entries.length < limit && keep(entry)) entries.push(entry);
		}
		if (entries.length >= limit) return entries;
		if (received > MAX_ENTRIES || bytes > MAX_BYTES) throw longListError(client, request, bytes);
		emptyPages = page.entries.length === 0 ? emptyPages + 1 : 0;
		if (nextUrl !== undefined && (emptyPages > MAX_EMPTY_PAGES || pageCount >= MAX_PAGES)) {
			throw endlessListError(client, request, pageCount);
		}
		if (nextUrl === undefined) assertComplete(client, request, page, { received, pageCount });
		else assertBelowBaseUrl(client, request, nextUrl);
		url = nextUrl;
	}
	return entries;
}

/** The absolute URL of the next page, from the Link header or the body. */
function getNextUrl({ headers, info }: Page, current: string): string | undefined {
	const linked = parseNextLink(headers.link, current);
	if (linked !== undefined || info.nextUrl === undefined) return linked;
	return URL.canParse(info.nextUrl, current) ? new URL(info.nextUrl, current).href : undefined;
}

function assertBelowBaseUrl(client: ServiceClient, request: ServiceRequest, url: string): void {
	const { origin, pathname, username, password } = new URL(url);
	const { pathname: basePath } = new URL(client.resolveUrl('/'));
	// Proxies may decode an encoded slash, and go up from there.
	const isBelow = pathname.startsWith(basePath) && !/%(2f|5c)/i.test(pathname);
	const received =
		origin !== client.origin
			? `a link to ${origin}, where the API key is not sent,`
			: username + password !== ''
				? 'a link with a user name'
				: `a link to a URL that is not below ${client.resolveUrl('')}`;
	if (origin === client.origin && username + password === '' && isBelow) return;
	throw client.createError(request, {
		kind: 'unexpected',
		expected: 'a link to its own next page',
		received,
	});
}

/** A list that is cut off must not pass for the whole list: what is missing would count as deleted, or be created again. */
function assertComplete(
	client: ServiceClient,
	request: ServiceRequest,
	{ headers, info }: Page,
	{ received, pageCount }: { received: number; pageCount: number },
): void {
	const total = Math.max(info.total ?? 0, Number(headers['x-total-count'] ?? 0) || 0);
	const { totalPages = 0 } = info;
	const reason =
		total > received
			? `it has ${total} entries`
			: totalPages > pageCount
				? `it has ${totalPages} pages`
				: info.announcesMore;
	if (reason === undefined) return;
	throw client.createError(request, {
		kind: 'unexpected',
		expected: 'the whole list',
		received: `${received} entries, but there are more because ${reason}, and no link to them,`,
	});
}

/**
 * Finds the next page in a Link header (RFC 8288).
 *
 * @param current the absolute URL of the current page
 * @returns an absolute URL, or undefined for the last page
 */
export function parseNextLink(
	header: string | string[] | undefined,
	current: string,
): string | undefined {
	const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
	for (const [, target, parameters] of text.matchAll(LINK)) {
		if (isNext(parameters) && URL.canParse(target, current)) return new URL(target, current).href;
	}
	return undefined;
}

function isNext(parameters: string): boolean {
	const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters);
	const relations = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/);
	return relations.includes('next');
}

/** An endless list repeats a URL, or the same page under a new one. */
function repeatedPageError(client: ServiceClient, request: ServiceRequest): Error {
	return client.createError(request, {
		kind: 'unexpected',
		expected: 'the next page of the list',
		received: 'a page that was already fetched',
	});
}

function endlessListError(client: ServiceClient, request: ServiceRequest, pages: number): Error {
	return client.createError(request, {
		kind: 'unexpected',
		expected: 'a list that ends',
		received: `${pages} pages with a link to a next one`,
	});
}

function longListError(client: ServiceClient, request: ServiceRequest, bytes: number): Error {
	const limit = bytes > MAX_BYTES ? `${MAX_BYTES / 1_000_000} MB` : `${MAX_ENTRIES} entries`;
	return client.createError(request, {
		kind: 'unexpected',
		expected: 'a list that the node can handle',
		received: `more than ${limit}`,
	});
}

function hashPage(entries: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(entries)).digest('base64');
}
