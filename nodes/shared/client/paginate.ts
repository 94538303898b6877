import { createHash } from 'crypto';

import type { ServiceClient, ServiceRequest } from './client';

const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,]+))?)*)/g;

/**
 * Fetches a list over as many pages as it has, or as the limit needs (`Link: …; rel="next"`, RFC 8288).
 *
 * @param request the first page; `search` is appended to its path
 * @returns the entries without null, in the service's order
 * @throws NodeApiError when a page points to another origin, or back to one that was fetched already
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
 * Parses a Link header (RFC 8288) for the next page.
 *
 * @param current the absolute URL of the current page, against which a relative one is resolved
 * @returns the absolute URL, or undefined when there is no next page
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

/** A list that turns in a circle may do so under the same URL, or with the same page under a new one. */
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
