/** One page of a list, as JSON or as text. */
export interface Page {
	/** Of its URL. */
	query?: string;
	body: unknown;
	headers?: Record<string, string>;
}

export interface ListRow {
	stack: string;
	shape: string;
	/** The pages with two entries, the first at the URL of the list. */
	pages: (entries: unknown[], url: string) => Page[];
	/** Otherwise, the node returns all entries. */
	error?: RegExp;
}

type Hold = (entries: unknown[], url: string) => unknown;

const row = (stack: string, shape: string, hold: Hold, error?: RegExp): ListRow => ({
	stack,
	shape,
	pages: (entries, url) => [{ body: hold(entries, url) }],
	error,
});

/** Two pages with one entry each; `next` is what the first one says about the second one. */
const paged = (
	stack: string,
	shape: string,
	hold: (entry: unknown, next: string | null) => unknown,
): ListRow => ({
	stack,
	shape,
	pages: ([first, second], url) => [
		{ body: hold(first, `${url}?page=2`) },
		{ query: '?page=2', body: hold(second, null) },
	],
});

const NO_LIST = /instead of a list/;
const MORE = /2 entries, but there might be more/;

/** A list in one page, in two, one that goes on, and none: which others there are is tested in test/unit. */
export const LISTS: ListRow[] = [
	row('Django REST', 'one page', (results) => ({ count: 2, next: null, previous: null, results })),
	paged('Laravel', 'paginator', (entry, next) => ({
		...{ current_page: next === null ? 2 : 1, data: [entry], last_page: 2, total: 2 },
		...{ next_page_url: next, per_page: 1, prev_page_url: null },
	})),
	row('Go', 'slice in a struct with a token', (items) => ({ items, next_page_token: 'abc' }), MORE),
	row('.NET', 'PascalCase', (Items) => ({ Items, TotalCount: 2 }), NO_LIST),
];

export interface EmptyListRow {
	stack: string;
	shape: string;
	body: string;
	/** Why it is no list, where it is none; or none where a list must be certain, since what is missing counts as deleted. */
	error?: RegExp;
	errorIfCertain?: RegExp;
}

const empty = (
	stack: string,
	shape: string,
	body: unknown,
	error?: RegExp,
	errorIfCertain = error,
): EmptyListRow => ({ stack, shape, body: JSON.stringify(body), error, errorIfCertain });

/** How the serializers write a list without entries. */
export const EMPTY_LISTS: EmptyListRow[] = [
	empty('Go', 'nil slice', null, undefined, NO_LIST),
	empty('Go', 'nil slice in a struct', { contacts: null, total: 0 }),
	empty('Go', 'omitempty', { total: 0 }, NO_LIST),
	empty('PHP', 'failure as text', { data: [], success: '0' }, /reports a failure/),
	empty('Laravel', 'failure', { data: null, status: false, message: 'Locked' }, /failure "Locked"/),
];
