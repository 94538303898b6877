import { createHash } from 'crypto';

import { findRest, isCount, type PageInfo } from '../responses/pageInfo';
import { MAX_ENTRIES } from '../responses/parseJson';
import type { Page } from './accept';
import type { ServiceClient, ServiceRequest } from './client';
import { takeBreak } from './delay';

/** How many pages in a row may have no entry, and how long a list can take, in milliseconds. */
const MAX_EMPTY_PAGES = 20;
const MAX_TIME = 3_600_000;

const ADVICE =
	'Try again: the list might have changed while it was read. If the error persists, report this response to the operator of the service. Get Many with a low "Limit" and without filters still works.';

/**
 * Fetches all pages of a list, or as many as the limit needs: by `Link: …; rel="next"` (RFC 8288), or by a URL in the
 * body (getPageInfo). Where the limit is not reached, nothing may speak of more entries than were fetched (findRest).
 *
 * @param convert returns what an entry stands for, or undefined for one that doesn't count
 * @param identify returns the ID of an entry, where it has one: other fields can change from page to page
 * @throws NodeApiError when a page links to a URL that is not below the base URL or to one that was already fetched, or
 *   when the list has more entries than can be fetched
 */
export async function fetchAllPages<T>(
	client: ServiceClient,
	request: ServiceRequest,
	limit: number,
	convert: (entry: unknown) => T | undefined,
	identify: (entry: unknown) => string | undefined = () => undefined,
): Promise<T[]> {
	const createError = (expected: string, received: string) =>
		client.createError(request, { kind: 'unexpected', expected, received, advice: ADVICE });
	const seen = new Set<string>();
	/** An endless list repeats a URL, or the same page under a new one. */
	const assertNew = (page: string) => {
		if (!seen.has(page)) return seen.add(page);
		throw createError('the next page of the list', 'a page that was already fetched');
	};
	const entries: T[] = [];
	/** Of the entries so far. One that a later page repeats counts once: something new has pushed it there meanwhile. */
	const prints = new Set<string>();
	let repeated = 0;
	const addEntries = async (page: Page, isWhole: boolean) => {
		const own: string[] = [];
		const known = entries.length;
		for (const entry of page.entries) {
			// A page that is the whole list is compared with no other.
			const print = isWhole ? '' : (identify(entry) ?? toFingerprint(entry));
			if (!isWhole) own.push(print);
			const isWanted = entries.length < limit && !prints.has(print);
			const converted = isWanted ? convert(entry) : undefined;
			if (converted !== undefined) entries.push(converted);
			await takeBreak();
		}
		const share = (entries.length - known) / Math.max(1, page.entries.length);
		client.memory.add(-page.memory * (1 - share));
		if (own.length > 0) assertNew(own.join());
		repeated += own.filter((print) => prints.has(print)).length;
		for (const print of own) prints.add(print);
		return { info: page.info, count: page.entries.length };
	};
	const end = Date.now() + MAX_TIME;
	const counts: PageInfo['hints'] = new Map();
	let url = client.resolveUrl(request.path);
	let emptyPages = 0;
	let received = 0;
	for (let pages = 1; ; pages += 1) {
		assertNew(url);
		const { info, count } = await client.requestPage(
			{ ...request, path: url },
			async (page) => await addEntries(page, pages === 1 && page.info.nextUrl === undefined),
		);
		received += count;
		if (entries.length >= limit) return entries;
		if (received > MAX_ENTRIES) {
			throw createError('a list that n8n can handle', `more than ${MAX_ENTRIES} entries`);
		}
		if (info.nextUrl === undefined) {
			// A list that is cut off must not pass for the whole list: what is missing would count as deleted.
			const found = received - repeated;
			const rest = findRest(info, { entries: found, pages, url }, counts);
			if (rest === undefined || request.acceptRest?.(rest)) return entries;
			const problem = `but there might be more because ${rest}, and no link to them,`;
			throw createError('the whole list', `${found} entries, ${problem}`);
		}
		emptyPages = count === 0 ? emptyPages + 1 : 0;
		if (emptyPages > MAX_EMPTY_PAGES || Date.now() > end) {
			throw createError('a list that ends', `${pages} pages with a link to a next one`);
		}
		for (const [name, hint] of info.hints) {
			// The first: in a list that shrinks while it is read, entries move to pages that were read before.
			if (isCount(hint) && !counts.has(name)) counts.set(name, hint);
		}
		const next = new URL(info.nextUrl, url);
		// A service behind a proxy may take itself to be on plain HTTP.
		next.protocol = 'https:';
		const { origin, pathname } = new URL(client.resolveUrl('/'));
		const isBelow = next.href.startsWith(`${origin}${pathname}`);
		// Proxies may decode an encoded slash, and go up from there.
		if (!isBelow || /%(2f|5c)/i.test(next.pathname)) {
			const problem = `a link to a URL that is not below ${client.resolveUrl('')}`;
			throw createError('a link to its own next page', problem);
		}
		url = next.href;
	}
}

/** 72 bits: no two entries have the same. */
function toFingerprint(entry: unknown): string {
	return createHash('sha256').update(JSON.stringify(entry)).digest('base64').slice(0, 12);
}
