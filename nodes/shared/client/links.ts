/**
 * The URL of a link to the next page of a list: absolute, or relative to the list, the base URL or the host. Undefined on
 * another host: only the own one gets the API key.
 */
export function resolveLink(link: string, listUrl: string, baseUrl: string): string | undefined {
	const { origin, host, pathname } = new URL(`${baseUrl}/`);
	const isBelowBase = /^(?![a-z][\w+.-]*:)\/?[^/?]/i.test(link) && !link.startsWith(pathname);
	const target = isBelowBase ? `${pathname}${link.replace(/^\//, '')}` : link;
	if (!URL.canParse(target, listUrl)) return undefined;
	const next = new URL(target, listUrl);
	// A service behind a proxy may take itself to be on plain HTTP.
	return next.host === host ? `${origin}${next.pathname}${next.search}` : undefined;
}
