import { parseBody } from './parseBody';
import { isRecord, isYes, normalizeKey } from './shapes';

/** What a page of a list says about the rest of it. */
export interface PageInfo {
	/** URL of the next page, absolute or relative. */
	nextUrl?: string;
	/** Why there is more although there is no URL to it, in words that follow "because". */
	announcesMore?: string;
	/** How many entries the whole list has. */
	total?: number;
	/** How many pages the whole list has. */
	totalPages?: number;
}

/** Objects that hold the list or the pagination, in the body or in each other. Names as `normalizeKey` returns them. */
const HOLDERS = 'data result response links paging pagination page meta pageinfo'.split(' ');
const NEXT_URL_KEYS =
	'next nexturl nextpageurl nextlink nextpagelink @odata.nextlink odata.nextlink'.split(' ');
const TOKEN_KEYS = 'nextpagetoken nexttoken nextcursor nextpage continuationtoken'.split(' ');
const MORE_KEYS = ['hasmore', 'hasnext', 'hasnextpage'];
const TOTAL_KEYS = 'total totalcount totalelements totalitems totalresults @odata.count'.split(' ');
const TOTAL_PAGES_KEYS = ['totalpages', 'pagecount', 'lastpage'];
/** Such as `data.meta.pagination`. */
const MAX_LEVELS = 3;

type Field = [key: string, value: unknown];

/**
 * Parses how a page of a list refers to the rest of the list; docs/openapi.yaml leaves this open.
 *
 * @param header X-Pagination, in which .NET services write JSON about a body that is only the list
 */
export function getPageInfo(body: unknown, header = ''): PageInfo {
	const roots = [body, parseBody(header).value];
	const fields = roots.flatMap((root) => findFields(root, MAX_LEVELS));
	const nexts = pick(fields, NEXT_URL_KEYS).map(([, value]) => unwrapLink(value));
	const nextUrl = nexts.find(isUrl);
	return {
		nextUrl,
		announcesMore: nextUrl === undefined ? findAnnouncement(fields, nexts) : undefined,
		total: findCount(fields, TOTAL_KEYS),
		totalPages: findCount(fields, TOTAL_PAGES_KEYS),
	};
}

function findFields(root: unknown, levels: number): Field[] {
	if (!isRecord(root) || levels < 0) return [];
	const fields = Object.entries(root);
	const held = pick(fields, HOLDERS);
	return [...fields, ...held.flatMap(([, holder]) => findFields(holder, levels - 1))];
}

function findAnnouncement(fields: Field[], nexts: unknown[]): string | undefined {
	if (nexts.some(isToken)) return 'it has a next page without a URL';
	const token = pick(fields, TOKEN_KEYS).find(([, value]) => isToken(value));
	if (token !== undefined) return `it has a value in "${token[0]}"`;
	const more = pick(fields, MORE_KEYS).find(([, value]) => isYes(value));
	if (more !== undefined) return `"${more[0]}" is ${String(more[1])}`;
	return pick(fields, ['last']).some(([, last]) => last === false) ? '"last" is false' : undefined;
}

function findCount(fields: Field[], keys: string[]): number | undefined {
	const counts = pick(fields, keys).map(([, value]) =>
		typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
	);
	return counts.find((value): value is number => Number.isSafeInteger(value));
}

function pick(fields: Field[], keys: string[]): Field[] {
	return fields.filter(([key]) => keys.includes(normalizeKey(key)));
}

/** Links are text, or an object with `href` or `url`, or a list of one. */
function unwrapLink(value: unknown): unknown {
	const link: unknown = Array.isArray(value) ? value[0] : value;
	return isRecord(link) ? (link.href ?? link.url) : link;
}

function isUrl(value: unknown): value is string {
	return typeof value === 'string' && /^(https?:\/\/|\/|\?)\S+$/i.test(value);
}

function isToken(value: unknown): boolean {
	return (
		(typeof value === 'string' && value.trim() !== '') ||
		typeof value === 'number' ||
		value === true
	);
}
