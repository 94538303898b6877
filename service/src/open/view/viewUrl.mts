import { toPlainDigits } from '../digits.mts';

/** How many pages of a file come at once: without scripts, some browsers fetch all of them. */
export const PAGES_AT_ONCE = 20;

/** What the address of a page asks to see. */
export interface ViewRequest {
	/** The place of the file in the container. */
	file?: number;
	/** The first page, or row of a table, counted from 1. */
	from: number;
	isLarge: boolean;
	/** The text of the pages instead of pictures. */
	isText: boolean;
}

type ViewQuery = Record<string, unknown>;

export function readViewRequest(query: ViewQuery): ViewRequest {
	const file = /^\d{1,6}$/.test(String(query.file)) ? Number(query.file) : undefined;
	const from = toFirst(toPlace(query.from));
	return { file, from, isLarge: 'large' in query, isText: 'text' in query };
}

/** Where the form with the number of a page or a row leads; nothing for another address. */
export function findJump(path: string, query: ViewQuery): string | undefined {
	const what = ['page', 'row'].find((name) => query[name] !== undefined);
	if (what === undefined) return undefined;
	const number = toPlace(query[what]);
	const view = readViewRequest({ ...query, from: number });
	return `${toViewUrl(path, view)}#${what}-${number}`;
}

export function toViewUrl(path: string, view: Partial<ViewRequest>): string {
	const query = toViewQuery(view);
	return query === '' ? path : `${path}?${query}`;
}

export function toViewQuery({ file, from = 1, isLarge, isText }: Partial<ViewRequest>): string {
	const query = new URLSearchParams();
	if (file !== undefined) query.set('file', String(file));
	if (from > 1) query.set('from', String(from));
	if (isLarge) query.set('large', '');
	if (isText) query.set('text', '');
	return String(query);
}

function toPlace(value: unknown): number {
	const digits = toPlainDigits(String(value)).trim();
	return /^\d{1,9}$/.test(digits) ? Math.max(Number(digits), 1) : 1;
}

/** The first page of those that come with a page. */
export const toFirst = (page: number) => page - ((page - 1) % PAGES_AT_ONCE);
