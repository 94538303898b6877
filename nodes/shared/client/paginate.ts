import { createHash } from 'crypto';

import type { ServiceClient, ServiceRequest } from './client';

const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]+))?)*)/g;

/**
 * Fetches all pages of a list, or as many as the limit needs (`Link: …; rel="next"`, RFC 8288).
 *
 * @param request the first page; `search` is appended to its path
 * @returns the entries without null, in the service's order
 * @throws NodeApiError when a page links to another origin, or to one that was already fetched
 */
export async function fetchAllPages(
	client: ServiceClient,
	{ search = '', ...request }: ServiceRequest & { search?: string },
	limit: number,
): Promise<unknown[]> {
	const unexpected = (expected: string, received: string) =>
		client.createError(request, { kind: 'unexpected', expected, received });
	const entries: unknown[] = [];
	// An endless list repeats a URL, or the same page under a new one.
	const seen = new Set<string>();
	const assertNew = (key: string) => {
		if (seen.has(key)) {
			throw unexpected('the next page of the list', 'a page that was already fetched');
		}
		seen.add(key);
	};
	let url: string | undefined = client.resolveUrl(`${request.path}${search}`);
	while (url !== undefined) {
		assertNew(url);
		const page = await client.requestPage({ ...request, path: url });
		const isOnlyPage = seen.size === 1 && page.headers.link === undefined;
		if (!isOnlyPage) assertNew(hashPage(page.entries));
		for (const entry of page.entries) {
			if (entry !== null && entries.length < limit) entries.push(entry);
		}
		if (entries.length >= limit) break;
		url = parseNextLink(page.headers.link, url);
		const origin = url === undefined ? client.origin : new URL(url).origin;
		if (origin !== client.origin) {
			const received = `a link to ${origin}, where the API key is not sent,`;
			throw unexpected('a link to its own next page', received);
		}
	}
	return entries;
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

function hashPage(entries: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(entries)).digest('base64');
}
