import { createHash } from 'crypto';

import type { Page, PageRequest, ServiceClient } from './client';
import { takeBreak } from './takeBreak';

const LINK = /<([^<>]*)>\s*((?:;\s*[^\s=;,]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]+)\s*)?)*)/g;

/** How many pages in a row may have no new entry, and how many pages a list may have. */
const MAX_EMPTY_PAGES = 20;
const MAX_PAGES = 100_000;

/** How many entries and bytes a list may have; a service can return pages without end. */
const MAX_ENTRIES = 1_000_000;
const MAX_BYTES = 512_000_000;

/** Creates the error of a list that is not what was asked for. */
type CreateListError = (expected: string, received: string) => Error;

/**
 * Fetches all pages of a list, or as many as the limit needs: by `Link: …; rel="next"` (RFC 8288), or by a URL in the
 * body (getPageInfo).
 *
 * @param request of the first page
 * @param convert returns what an entry stands for, or undefined for one that doesn't count
 * @returns the converted entries in the service's order
 * @throws NodeApiError when a page links to a URL that is not below the base URL or to one that was already fetched, or
 *   when the list has more entries than can be fetched
 */
export async function fetchAllPages<T>(
	client: ServiceClient,
	request: PageRequest,
	limit: number,
	convert: (entry: unknown) => T | undefined,
): Promise<T[]> {
	const createError: CreateListError = (expected, received) =>
		client.createError(request, { kind: 'unexpected', expected, received });
	const seen = new Set<string>();
	/** An endless list repeats a URL, or the same page under a new one. */
	const assertNew = (page: string) => {
		if (!seen.has(page)) return seen.add(page);
		throw createError('the next page of the list', 'a page that was already fetched');
	};
	const entries: T[] = [];
	let url: string | undefined = client.resolveUrl(request.path);
	let emptyPages = 0;
	let received = 0;
	let bytes = 0;
	for (let pageCount = 1; url !== undefined; pageCount += 1) {
		assertNew(url);
		const page: Page = await client.requestPage({ ...request, path: url });
		const nextUrl = getNextUrl(page, url);
		if (pageCount > 1 || nextUrl !== undefined) {
			if (page.entries.length > 0) assertNew(hashPage(page.entries));
			await takeBreak();
		}
		received += page.entries.length;
		bytes += page.size;
		for (const entry of page.entries) {
			const converted = entries.length < limit ? convert(entry) : undefined;
			if (converted !== undefined) entries.push(converted);
		}
		if (entries.length >= limit) return entries;
		const isTooLarge = bytes > MAX_BYTES;
		if (isTooLarge || received > MAX_ENTRIES) {
			const most = isTooLarge ? `${MAX_BYTES / 1_000_000} MB` : `${MAX_ENTRIES} entries`;
			throw createError('a list that the node can handle', `more than ${most}`);
		}
		emptyPages = page.entries.length === 0 ? emptyPages + 1 : 0;
		if (nextUrl !== undefined && (emptyPages > MAX_EMPTY_PAGES || pageCount >= MAX_PAGES)) {
			throw createError('a list that ends', `${pageCount} pages with a link to a next one`);
		}
		if (nextUrl === undefined) assertComplete(page, received, pageCount, createError);
		else assertBelowBaseUrl(nextUrl, client, createError);
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

function assertBelowBaseUrl(
	url: string,
	client: ServiceClient,
	createError: CreateListError,
): void {
	const { origin, pathname, username, password } = new URL(url);
	const { pathname: basePath } = new URL(client.resolveUrl('/'));
	let problem: string | undefined;
	if (origin !== client.origin) problem = `to ${origin}, where the API key is not sent,`;
	else if (username + password !== '') problem = 'with a user name';
	// Proxies may decode an encoded slash, and go up from there.
	else if (!pathname.startsWith(basePath) || /%(2f|5c)/i.test(pathname)) {
		problem = `to a URL that is not below ${client.resolveUrl('')}`;
	}
	if (problem !== undefined) throw createError('a link to its own next page', `a link ${problem}`);
}

/** A list that is cut off must not pass for the whole list: what is missing would count as deleted, or be created again. */
function assertComplete(
	{ headers, info }: Page,
	received: number,
	pageCount: number,
	createError: CreateListError,
): void {
	const { totalPages = 0 } = info;
	const total = Math.max(info.total ?? 0, Number(headers['x-total-count'] ?? 0) || 0);
	let reason = info.announcesMore;
	if (total > received) reason = `it has ${total} entries`;
	else if (totalPages > pageCount) reason = `it has ${totalPages} pages`;
	if (reason === undefined) return;
	throw createError(
		'the whole list',
		`${received} entries, but there are more because ${reason}, and no link to them,`,
	);
}

/**
 * Finds the next page in a Link header (RFC 8288).
 *
 * @param current the absolute URL of the current page
 * @returns an absolute URL, or undefined for the last page
 */
export function parseNextLink(header: string | undefined, current: string): string | undefined {
	for (const [, target, parameters] of (header ?? '').matchAll(LINK)) {
		if (isNext(parameters) && URL.canParse(target, current)) return new URL(target, current).href;
	}
	return undefined;
}

function isNext(parameters: string): boolean {
	const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters);
	const relations = relation?.slice(1).join('').toLowerCase().split(/\s/);
	return relations?.includes('next') === true;
}

function hashPage(entries: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(entries)).digest('base64');
}
