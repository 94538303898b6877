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
	const entries: unknown[] = [];
	const seen = new Set<string>();
	let url: string | undefined = client.resolveUrl(`${request.path}${search}`);
	while (url !== undefined) {
		if (seen.has(url)) throw repeatedPageError(client, request);
		seen.add(url);
		const page = await client.requestPage({ ...request, path: url });
		const isOnlyPage = seen.size === 1 && page.headers.link === undefined;
		if (!isOnlyPage) {
			const content = hashPage(page.entries);
			if (seen.has(content)) throw repeatedPageError(client, request);
			seen.add(content);
		}
		for (const entry of page.entries) {
			if (entry !== null && entries.length < limit) entries.push(entry);
		}
		if (entries.length >= limit) break;
		url = parseNextLink(page.headers.link, url);
		if (url !== undefined && new URL(url).origin !== client.origin) {
			throw client.createError(request, {
				kind: 'unexpected',
				expected: 'a link to its own next page',
				received: `a link to ${new URL(url).origin}, where the API key is not sent,`,
			});
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

/** An endless list repeats a URL, or the same page under a new one. */
function repeatedPageError(client: ServiceClient, request: ServiceRequest): Error {
	return client.createError(request, {
		kind: 'unexpected',
		expected: 'the next page of the list',
		received: 'a page that was already fetched',
	});
}

function hashPage(entries: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(entries)).digest('base64');
}
