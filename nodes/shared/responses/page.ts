import type { Body } from './body';
import { isFilled, isRecord } from './shapes';

export interface Page {
	entries: unknown[];
	/** Absolute or relative, as it came. */
	nextUrl?: string;
	/** What says that there is more, where no URL does. */
	more?: Sign;
	total?: Sign;
}

interface Sign {
	name: string;
	value: unknown;
}

type Headers = Record<string, string | undefined>;

/** What holds fields about the list, and lists that are no entries. */
const PLACES = ['data', 'links', '_links', 'meta', 'pagination', 'page'];
const LISTS_ASIDE = ['links', 'errors'];

/** In snake case; a service can also have them in camel case. */
const URL_NAMES = ['next', 'next_page_url', 'next_link', '@odata.next_link'];
const NEXT_NAMES = [...URL_NAMES, 'next_page', 'next_cursor', 'next_page_token'];
const TOTAL_NAMES = ['total', 'total_count', 'x-total-count', 'content-range'];

/**
 * Reads a page of a list: an array, `data`, or an object with exactly one array of objects, at its top or inside `data` or
 * `_embedded`. Without content, it is empty. Undefined for anything else.
 */
export function readPage({ value, problem }: Body, headers: Headers): Page | undefined {
	const isEmpty = value === undefined && problem === undefined;
	const entries = isEmpty ? [] : findEntries(value);
	if (entries === undefined) return undefined;
	const signs = listSigns(value, headers);
	const find = (names: string[], isSaid: (held: unknown) => boolean) =>
		signs.find(({ name, value: held }) => {
			const inSnakeCase = name.replace(/[A-Z]/g, '_$&').toLowerCase();
			return names.includes(inSnakeCase) && isSaid(held);
		});
	return {
		entries: entries.filter((entry) => entry !== null),
		nextUrl: findLink(headers.link) ?? (find(URL_NAMES, isUrl)?.value as string | undefined),
		more: find(['has_more'], (held) => held === true) ?? find(NEXT_NAMES, isFilled),
		total: find(TOTAL_NAMES, (held) => /^\d+$/.test(String(held))),
	};
}

function findEntries(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (!isRecord(value)) return undefined;
	if (isListOfObjects(value.data)) return value.data;
	const lists = [value, value.data, value._embedded]
		.flatMap((place) => (isRecord(place) ? Object.entries(place) : []))
		.flatMap(([name, held]) => (LISTS_ASIDE.includes(name) ? [] : [held]))
		.filter(isListOfObjects);
	const filled = lists.filter((list) => list.length > 0);
	return filled.length > 1 ? undefined : [...filled, ...lists].at(0);
}

function isListOfObjects(value: unknown): value is unknown[] {
	return Array.isArray(value) && value.every((entry) => entry === null || isRecord(entry));
}

function listSigns(value: unknown, headers: Headers): Sign[] {
	const places = isRecord(value) ? [value, ...PLACES.map((name) => value[name])] : [];
	const total = headers['x-total-count'];
	const range = headers['content-range']?.replace(/^.*\//, '');
	return [...places, { 'x-total-count': total, 'content-range': range }]
		.flatMap((place) => (isRecord(place) ? Object.entries(place) : []))
		.map(([name, held]) => ({ name, value: isRecord(held) && 'href' in held ? held.href : held }));
}

function isUrl(value: unknown): boolean {
	return typeof value === 'string' && /^(https?:\/)?[/?]|\?/i.test(value);
}

/** RFC 8288 */
function findLink(header = ''): string | undefined {
	for (const [, url, parameters] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
		const [, relations = ''] = /;\s*rel\s*=\s*"?([^";,]*)/i.exec(parameters) ?? [];
		if (relations.trim().toLowerCase().split(/\s+/).includes('next')) return url;
	}
	return undefined;
}
