import { createHash } from 'crypto';

import type { ServiceClient, ServiceRequest } from './client';
import { parseNextLink } from './links';

/**
 * Reads a list over as many pages as it has, or as are needed (`Link: …; rel="next"`, RFC 8288).
 *
 * @param client sends the requests
 * @param request the first page
 * @param most how many entries are wanted; Infinity for all
 * @returns the entries, in the service's order
 * @throws NodeApiError when a page points to another origin, or back to one that was already read
 */
export async function fetchAllPages(
	client: ServiceClient,
	request: ServiceRequest,
	most: number,
): Promise<unknown[]> {
	const entries: unknown[] = [];
	const seen = new Set<string>();
	let address: string | undefined = client.addressOf(request.path);
	while (address !== undefined) {
		if (seen.has(address)) throw repeatedPageError(client, request);
		seen.add(address);
		const page = await client.page({ ...request, path: address });
		const isOnlyPage = seen.size === 1 && page.headers.link === undefined;
		if (!isOnlyPage) {
			const content = digest(page.entries);
			if (seen.has(content)) throw repeatedPageError(client, request);
			seen.add(content);
		}
		for (const entry of page.entries) {
			if (entry !== null && entries.length < most) entries.push(entry);
		}
		if (entries.length >= most) break;
		address = parseNextLink(page.headers.link, address);
		if (address !== undefined && new URL(address).origin !== client.origin) {
			throw client.failure(request, {
				kind: 'unexpected',
				expected: 'a link to its own next page',
				got: `a link to ${new URL(address).origin}, where the API key is not sent,`,
			});
		}
	}
	return entries;
}

/** A list that turns in a circle may do so under the same address, or with the same page under a new one. */
function repeatedPageError(client: ServiceClient, request: ServiceRequest): Error {
	return client.failure(request, {
		kind: 'unexpected',
		expected: 'the next page of the list',
		got: 'a page that was already fetched',
	});
}

function digest(entries: unknown[]): string {
	return createHash('sha256').update(JSON.stringify(entries)).digest('base64');
}
