import type { Client, ServiceRequest } from './client';
import { takeBreak } from './delay';

/** How many pages in a row can be without a new entry. */
const MAX_PAGES_WITHOUT_NEW = 20;

const ADVICE =
	'Try again: the list might have changed while it was read. If the error persists, report this response to the operator of the service. Get Many with a low "Limit" and without filters still works.';

/**
 * Fetches all pages of a list, or as many as the limit needs.
 *
 * @param convert returns what an entry stands for, or undefined for one that doesn't count
 * @param identify returns the ID of an entry, where it has one: other fields can change from page to page
 * @throws ServiceError for a list that can't be read to its end: what is missing would count as deleted
 */
export async function fetchAllPages<T>(
	client: Client,
	request: ServiceRequest,
	limit: number,
	convert: (entry: unknown) => T | undefined,
	identify: (entry: unknown) => string | undefined = () => undefined,
): Promise<T[]> {
	const createError = (expected: string, received: string) =>
		client.createError(request, { kind: 'unexpected', expected, received, advice: ADVICE });
	const entries: T[] = [];
	const known = new Set<string>();
	let url = client.resolveUrl(request.path);
	let total: Awaited<ReturnType<Client['requestPage']>>['total'];
	let found = 0;
	let pagesWithoutNew = 0;
	for (;;) {
		const page = await client.requestPage({ ...request, path: url });
		const own: string[] = [];
		for (const entry of page.entries) {
			const key = identify(entry) ?? JSON.stringify(entry);
			// Something new has pushed it from the page before.
			if (known.has(key)) continue;
			own.push(key);
			const converted = convert(entry);
			if (converted !== undefined) entries.push(converted);
			if (entries.length >= limit) return entries;
			await takeBreak();
		}
		for (const key of own) known.add(key);
		found += own.length;
		// The first: in a list that shrinks while it is read, entries move to pages that were read before.
		total ??= page.total;
		if (page.nextUrl === undefined) {
			const rest = page.more ?? (Number(total?.value) > found ? total : undefined);
			if (rest === undefined) return entries;
			const reason = `"${rest.name}" is ${JSON.stringify(rest.value)}`;
			if (request.acceptRest?.(reason)) return entries;
			const received = `${found} entries, but there might be more because ${reason}, and no link to them,`;
			throw createError('the whole list', received);
		}
		pagesWithoutNew = own.length === 0 ? pagesWithoutNew + 1 : 0;
		if (pagesWithoutNew > MAX_PAGES_WITHOUT_NEW) {
			throw createError('a list that ends', `${pagesWithoutNew} pages without a new entry`);
		}
		const next = resolveNext(page.nextUrl, url, client.resolveUrl(''));
		if (next === undefined) {
			const received = `a link to ${page.nextUrl}`;
			throw createError(`a link to its next page on ${client.origin}`, received);
		}
		url = next;
	}
}

/** Relative to the list, or to the base URL: each page of a list has the same path. Only the own host gets the API key. */
function resolveNext(link: string, url: string, baseUrl: string): string | undefined {
	const own = new URL(url);
	const bases = [
		[link, url],
		[link.replace(/^\/+/, ''), `${baseUrl}/`],
	];
	const links = bases
		.filter(([text, base]) => URL.canParse(text, base))
		.map(([text, base]) => new URL(text, base));
	const { pathname: basePath } = new URL(`${baseUrl}/`);
	const next =
		links.find(({ pathname }) => pathname === own.pathname) ??
		links.find(({ pathname }) => pathname.startsWith(basePath)) ??
		links.at(0);
	// A service behind a proxy may take itself to be on plain HTTP.
	return next?.host === own.host ? `${own.origin}${next.pathname}${next.search}` : undefined;
}
