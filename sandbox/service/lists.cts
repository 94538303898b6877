import type { Answer } from './answer.cts';
import { jsonAnswer } from './answer.cts';
import { invalid } from './errors.cts';
import type { ListShape, NextLink, SandboxSettings } from '../settings.cts';

export interface ListedEntry {
	/** Tells the entries apart, whatever their order. */
	key: string;
	/** The fields that a query may ask for. */
	fields: Record<string, unknown>;
	/** What the list shows. */
	shown: unknown;
}

export interface ListRequest {
	/** The path and query as sent. */
	path: string;
	/** Of the service: pages name their successor absolutely. */
	origin: string;
	status: number;
	shape: ListShape;
	settings: SandboxSettings;
}

const CURSOR = 'cursor';

/**
 * Answers a list: ordered, filtered, paged and shaped as the settings say. A page that is not the last names the
 * next in a Link header (RFC 8288).
 *
 * @throws ServiceError 400 for a cursor that this service did not give
 */
export function listAnswer(
	entries: ListedEntry[],
	{ path, origin, status, shape, settings }: ListRequest,
): Answer {
	const url = new URL(path, origin);
	const listed = ordered(settings.filterByQuery ? filtered(entries, url) : entries, settings);
	const start = startOf(url.searchParams.get(CURSOR));
	const end = settings.pageSize > 0 ? start + settings.pageSize : listed.length;
	const page = listed.slice(start, end).map((entry) => entry.shown);
	const answer = jsonAnswer(
		status,
		shape === 'array' ? page : { [shape]: page, count: page.length },
	);
	if (end >= listed.length) return answer;
	return { ...answer, headers: { link: linkHeader(url, { start, end }, settings) } };
}

function ordered(entries: ListedEntry[], settings: SandboxSettings): ListedEntry[] {
	if (settings.listOrder === 'reversed') return [...entries].reverse();
	if (settings.listOrder === 'created') return entries;
	return entries
		.map((entry) => ({ entry, place: scatter(`${settings.shuffleSeed}:${entry.key}`) }))
		.sort((a, b) => a.place - b.place)
		.map(({ entry }) => entry);
}

/** FNV-1a: the same order for the same seed, another for another. */
function scatter(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
	}
	return hash;
}

function filtered(entries: ListedEntry[], url: URL): ListedEntry[] {
	const wanted = [...url.searchParams].filter(([name]) => name !== CURSOR);
	return entries.filter(({ fields }) =>
		wanted.every(([name, value]) => !Object.hasOwn(fields, name) || String(fields[name]) === value),
	);
}

const cursorAt = (offset: number) => Buffer.from(`after:${offset}`).toString('base64url');

function startOf(cursor: string | null): number {
	if (cursor === null) return 0;
	const match = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString());
	if (match === null) throw invalid('The cursor is not valid');
	return Number(match[1]);
}

function linkHeader(
	url: URL,
	{ start, end }: { start: number; end: number },
	{ nextLink, otherOrigin }: SandboxSettings,
): string {
	const to = (offset: number, origin = '') => {
		const query = new URLSearchParams(url.searchParams);
		query.set(CURSOR, cursorAt(offset));
		return `<${origin}${url.pathname}?${query}>`;
	};
	const links: Record<NextLink, () => string> = {
		absolute: () => `${to(end, url.origin)}; rel="next"`,
		relative: () => `${to(end)}; rel="next"`,
		amongOthers: () =>
			`${to(0)}; rel="first"; title="a, b; rel=next", ${to(end)}; title="more"; rel="next last-seen"`,
		repeat: () => `${to(start, url.origin)}; rel="next"`,
		otherOrigin: () => `${to(end, otherOrigin)}; rel="next"`,
	};
	return links[nextLink]();
}
