import type { IDataObject } from 'n8n-workflow';

import { isRecord, normalizeKey } from './shapes';

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

/** Objects that hold the list or the pagination, in the body or in each other. */
const HOLDERS = [
	'data',
	'result',
	'response',
	'links',
	'_links',
	'paging',
	'pagination',
	'page',
	'meta',
	'page_info',
	'pageInfo',
];
/** In lower case and without separators. */
const NEXT_URL_KEYS = [
	'next',
	'nexturl',
	'nextpageurl',
	'nextlink',
	'@odata.nextlink',
	'odata.nextlink',
];
const TOKEN_KEYS = ['nextpagetoken', 'nexttoken', 'nextcursor', 'nextpage', 'continuationtoken'];
const MORE_KEYS = ['hasmore', 'hasnext', 'hasnextpage'];
const TOTAL_KEYS = [
	'total',
	'totalcount',
	'totalelements',
	'totalitems',
	'totalresults',
	'@odata.count',
];
const TOTAL_PAGES_KEYS = ['totalpages', 'pagecount', 'lastpage'];
/** Such as `data.meta.pagination`. */
const MAX_LEVELS = 3;

/** Parses how a page of a list refers to the rest of the list in its body; docs/openapi.yaml leaves this open. */
export function getPageInfo(body: unknown): PageInfo {
	if (!isRecord(body)) return {};
	const holders = findHolders(body, MAX_LEVELS);
	const nexts = findFields(holders, NEXT_URL_KEYS).map(([, value]) => unwrapLink(value));
	const nextUrl = nexts.find(isUrl);
	return {
		nextUrl,
		announcesMore: nextUrl === undefined ? findAnnouncement(holders, nexts) : undefined,
		total: findCount(holders, TOTAL_KEYS),
		totalPages: findCount(holders, TOTAL_PAGES_KEYS),
	};
}

function findHolders(body: IDataObject, levels: number): IDataObject[] {
	const held = levels === 0 ? [] : HOLDERS.map((key) => body[key]).filter(isRecord);
	return [body, ...held.flatMap((holder) => findHolders(holder, levels - 1))];
}

function findAnnouncement(holders: IDataObject[], nexts: unknown[]): string | undefined {
	if (nexts.some(isToken)) return 'it has a next page without a URL';
	const token = findFields(holders, TOKEN_KEYS).find(([, value]) => isToken(value));
	if (token !== undefined) return `it has a value in "${token[0]}"`;
	const more = findFields(holders, MORE_KEYS).find(
		([, value]) => value === true || value === 'true',
	);
	if (more !== undefined) return `"${more[0]}" is true`;
	return holders.some(({ last }) => last === false) ? '"last" is false' : undefined;
}

function findCount(holders: IDataObject[], keys: string[]): number | undefined {
	const counts = findFields(holders, keys).map(([, value]) =>
		typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
	);
	return counts.find((value): value is number => Number.isSafeInteger(value));
}

/** The fields whose names are among the keys, in the order of the holders and of the keys. */
function findFields(holders: IDataObject[], keys: string[]): Array<[string, unknown]> {
	return holders.flatMap((holder) => {
		const fields = Object.entries(holder);
		const names = fields.map(([name]) => normalizeKey(name));
		return keys.flatMap((key) => fields.filter((_field, index) => names[index] === key));
	});
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
