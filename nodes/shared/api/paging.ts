import { acceptPage } from '../client/accept';
import type { Client, ServiceRequest } from '../client/client';
import { MAX_BYTES } from '../responses/body';
import type { Page } from '../responses/page';

/** What to do where a list can't be read to its end. */
export const LIST_ADVICE =
	'Try again: the list might have changed while it was read. If the error persists, report this response to the operator of the service. Get Many with a low "Limit" and without filters still works.';

/** Follows the links from the first page to the last one. */
export async function* fetchPages(client: Client, request: ServiceRequest): AsyncGenerator<Page> {
	const { baseUrl } = client.connection;
	const maxBytes = MAX_BYTES.page;
	let url: string | undefined = request.path;
	while (url !== undefined) {
		const page: Page = await client.request({ ...request, path: url, maxBytes }, acceptPage);
		yield page;
		if (page.nextUrl === undefined) return;
		const next = resolveLink(page.nextUrl, url, baseUrl);
		if (next === undefined) {
			const received = `"${page.nextUrl}" as the link to the next page`;
			const failure = {
				kind: 'unexpected',
				expected: 'a URL',
				received,
				advice: LIST_ADVICE,
			} as const;
			throw client.createError(request, failure);
		}
		url = next;
	}
}

/**
 * The URL of a link to the next page of a list: absolute, or relative to the list, the base URL or the host. Only its path
 * and query count: a service can take itself to have another name, and only the origin of the base URL gets the API key.
 */
function resolveLink(link: string, listUrl: string, baseUrl: string): string | undefined {
	const { origin, pathname } = new URL(`${baseUrl}/`);
	const isBelowBase = /^(?![a-z][\w+.-]*:)\/?[^/?]/i.test(link) && !link.startsWith(pathname);
	const target = isBelowBase ? `${pathname}${link.replace(/^\//, '')}` : link;
	if (!URL.canParse(target, listUrl)) return undefined;
	const next = new URL(target, listUrl);
	return /^https?:$/.test(next.protocol) ? `${origin}${next.pathname}${next.search}` : undefined;
}
