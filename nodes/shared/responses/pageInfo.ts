import { jsonParse } from 'n8n-workflow';

import { isFilled, isNo, isRecord, isYes } from './shapes';

export interface PageInfo {
	/** URL of the next page, absolute or relative. */
	nextUrl?: string;
	/** What could mean that there is more, by name. */
	hints: Map<string, Hint>;
	/** Whether it plainly says that there is no more. */
	isLast: boolean;
	/** URLs of the first page and of this one, absolute or relative. */
	ownUrls: string[];
}

/** How much of a list was fetched, and the URL of the last page. */
interface Progress {
	entries: number;
	pages: number;
	url: string;
}

type Kind = 'more' | 'last' | 'done' | 'cursor' | 'page' | 'offset' | 'count';

interface Hint {
	kind: Kind;
	value: unknown;
}

/** What the words of a name are about: the first that fits counts. What is silent says nothing of the rest. */
const KINDS: Array<[Kind | 'silent', string]> = [
	// People, earlier pages, and limits of the rate and of the storage.
	['silent', 'name|prev\\w*|before|rate|ratelimit|quota|retry|request|call|cache'],
	['silent', 'speed|storage|byte'],
	['more', 'next|more|rest|left|remain\\w*|omitted|truncated|incomplete|partial'],
	['more', 'continu\\w+|scroll|limited|capped|reached|exceeded'],
	['last', 'last'],
	// The size and the start of a page, times and keys.
	['silent', '(?<!total )size|page +item|per|limit|first|start|accept|date|time|unit'],
	['silent', 'csrf|xsrf|auth|access|session|security|bearer'],
	['cursor', 'cursor|token|marker|bookmark'],
	['page', 'page|pagination|paging'],
	['offset', 'offset'],
	['count', 'total|count|hit|found|overall|range'],
	['done', 'complete|completed|done|finished|exhausted|exhaustive|final|eof|end'],
];
const PATTERNS = KINDS.map(([kind, words]) => [kind, new RegExp(`\\b(?:${words})s?\\b`)] as const);

/** Words that headers and some languages write together, such as `x-wp-totalpages`. */
const PART =
	/(?:has|is|next|more|last|total|page|count|item|row|record|cursor|token|url|link|size|per)s?/g;
const COMPOUND = new RegExp(`^(?:${PART.source})+$`);
/** Longer names are no words. */
const MAX_NAME = 200;
/** Text that is a number, or ends a range such as `items 0-24/25` (RFC 9110, Content-Range). */
const COUNT = /^(?:\D*\d+-\d+\/)?(-?\d+)$/;
/** Such as in `last_updated`; a number from here on is seconds since 1970. */
const DATE = /^\d{4}-\d\d-\d\d|^\w{3}, \d\d \w{3} \d{4}/;
const FIRST_TIME = 1e9;
/** How many entries of another list are looked at: a longer one holds other records. */
const MAX_LISTED = 100;
const MAX_QUOTED = 100;

/**
 * Finds everything on a page that speaks of the rest of its list; docs/openapi.yaml leaves this open. What is named like
 * a page, a cursor, a total or a rest counts, beside the entries at any depth, and in headers.
 */
export function getPageInfo(
	status: number,
	headers: Record<string, string | undefined>,
	value: unknown,
	entries: unknown[],
): PageInfo {
	const info: PageInfo = { hints: new Map(), isLast: false, ownUrls: [] };
	for (const [name, text] of Object.entries(headers)) {
		if (typeof text === 'string') addHeader(info, name, text);
	}
	addBeside(info, value, entries, '');
	if ([202, 207].includes(status) || (status === 206 && headers['content-range'] === undefined)) {
		info.hints.set('status', { kind: 'more', value: status });
	}
	return info;
}

/** What on the last page, or of the counts on those before, does not bear out that a list is whole: after "because". */
export function findRest(info: PageInfo, progress: Progress, counts: PageInfo['hints']) {
	const hints = [...counts, ...info.hints];
	const rest = hints.find(([, hint]) => !saysAll(hint, info, progress));
	return rest && `"${rest[0]}" is ${String(JSON.stringify(rest[1].value)).slice(0, MAX_QUOTED)}`;
}

function saysAll({ kind, value }: Hint, info: PageInfo, progress: Progress): boolean {
	const { entries, pages, url } = progress;
	// An offset is that of this page, or of the next one.
	const offset = Math.max(entries - 1, 0);
	const known: Partial<Record<Kind, number>> = { count: entries, offset, page: pages, last: pages };
	const [number, limit] = [toNumber(value), known[kind]];
	if (number !== undefined && limit !== undefined) return number <= limit;
	if (kind === 'count') return value === true;
	if (kind === 'cursor') return info.isLast;
	if (kind !== 'page' && kind !== 'last') return false;
	if (!isUrl(value)) return typeof value === 'string' && info.isLast;
	if (info.isLast && Number(/[?&]page=(\d+)/.exec(value)?.[1]) <= pages) return true;
	return [...info.ownUrls, url].some((own) => toAbsolute(own, url) === toAbsolute(value, url));
}

/** Whether a hint also counts where later pages don't repeat it: a number of entries or pages. */
export function isCount({ kind, value }: Hint): boolean {
	return (kind === 'count' || kind === 'page') && toNumber(value) !== undefined;
}

function addHeader(info: PageInfo, name: string, text: string): void {
	if (name === 'link') {
		// RFC 8288
		for (const [, url, parameters] of text.matchAll(/<([^<>]*)>([^<]*)/g)) {
			const [, relations = ''] = /;\s*rel\s*=\s*"?([^";,]*)/i.exec(parameters) ?? [];
			for (const relation of relations.toLowerCase().split(' ')) {
				if (/^(next|last|first|self)$/.test(relation)) addField(info, relation, url, `${name}: `);
			}
		}
		return;
	}
	// .NET services write JSON about a list that is the whole body.
	const held = text.startsWith('{') ? jsonParse<unknown>(text, { fallbackValue: text }) : text;
	addField(info, name, held, '');
}

/** Adds what stands beside the entries: fields, and links such as `{ "rel": "next", "href": … }` in a list. */
function addBeside(info: PageInfo, held: unknown, entries: unknown, path: string): void {
	if (held === entries) return;
	if (isRecord(held)) {
		for (const [key, value] of Object.entries(held)) addField(info, key, value, path, entries);
	}
	if (!Array.isArray(held)) return;
	for (const [index, link] of held.slice(0, MAX_LISTED).entries()) {
		if (!isRecord(link)) continue;
		if (link.rel) addField(info, String(link.rel), unwrapLink(link) ?? link, path);
		else addBeside(info, link, entries, `${path}${index}.`);
	}
}

function addField(info: PageInfo, key: string, held: unknown, path: string, entries?: unknown) {
	const name = `${path}${key}`;
	const words = toWords(key);
	const url = unwrapLink(held);
	if (isUrl(url) && /\b(self|first|current)\b/.test(words)) info.ownUrls.push(url);
	const value = isUrl(url) ? url : held;
	const kind = PATTERNS.find(([, pattern]) => pattern.test(words))?.[0];
	if (kind === undefined || (kind === 'page' && isRecord(held))) {
		addBeside(info, held, entries, `${name}.`);
		return;
	}
	if (kind === 'silent' || DATE.test(String(value)) || Number(value) >= FIRST_TIME) return;
	const isNext = /\bnext\b/.test(words);
	const isFlag = toNumber(value) === undefined || /\b(is|has|done|complete)\b/.test(words);
	const saysEnd = isFlag && (kind === 'last' || kind === 'done');
	if (!isFilled(value) && !isNo(value)) info.isLast ||= isNext;
	else if (isUrl(value) && isNext) info.nextUrl ??= value;
	else if (saysEnd && isYes(value)) info.isLast = true;
	else if (saysEnd && isNo(value)) info.hints.set(name, { kind: 'more', value });
	else if (kind === 'more' && (isNo(value) || Number(toNumber(value)) <= 0)) info.isLast = true;
	// A number can be where a page ends.
	else if (!isNo(value) && (kind !== 'done' || isFlag)) info.hints.set(name, { kind, value });
}

/** The words of a name, in lower case: those of `hasNextPage`, `x-next-pages` and `NEXT_PAGE`. */
function toWords(name: string): string {
	return name
		.slice(0, MAX_NAME)
		.replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
		.toLowerCase()
		.replace(/[^a-z]+/g, ' ')
		.replace(/[a-z]+/g, (word) => (COMPOUND.test(word) ? word.replace(PART, '$& ') : word));
}

/** Links are text, or an object with the URL. */
function unwrapLink(value: unknown): unknown {
	return isRecord(value) ? (value.href ?? value.url ?? value.link) : value;
}

function isUrl(value: unknown): value is string {
	if (typeof value !== 'string' || !/^(https?:\/\/|\/|\?)\S+$/i.test(value)) return false;
	return URL.canParse(value, 'https://host');
}

/** @returns an absolute URL to compare; a service behind a proxy may take itself to be on plain HTTP */
function toAbsolute(url: string, base: string): string {
	return (URL.canParse(url, base) ? new URL(url, base).href : url).replace(/^http:/, 'https:');
}

function toNumber(value: unknown): number | undefined {
	const number = typeof value === 'string' ? Number(COUNT.exec(value)?.[1]) : value;
	return Number.isSafeInteger(number) ? (number as number) : undefined;
}
