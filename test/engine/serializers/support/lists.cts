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

const inHeader = (stack: string, shape: string, headers: Record<string, string>): ListRow => ({
	stack,
	shape,
	pages: (entries) => [{ body: entries, headers }],
	error: /but there are more/,
});

const wrapped = (entries: unknown[]) =>
	entries.map((entry, index) => ({ $id: String(index + 2), ...(entry as object) }));

const NO_LIST = /instead of a list/;
const MORE = /2 entries, but there are more/;

const springPage = {
	pageable: { pageNumber: 0, pageSize: 20, offset: 0, paged: true, unpaged: false },
	sort: { empty: true, sorted: false, unsorted: true },
	size: 20,
	number: 0,
	numberOfElements: 2,
	first: true,
	empty: false,
};
const laravelLinks = [{ url: null, label: '&laquo; Previous', active: false }];

/** How the serializers of several stacks write a list, and whether the node understands it. */
export const LISTS: ListRow[] = [
	row('Spring', 'List', (entries) => entries),
	row('Spring', 'Page', (content) => ({
		content,
		...springPage,
		last: true,
		totalPages: 1,
		totalElements: 2,
	})),
	row(
		'Spring',
		'Page, the first of three',
		(content) => ({ content, ...springPage, last: false, totalPages: 3, totalElements: 57 }),
		MORE,
	),
	row('Spring', 'Slice with more', (content) => ({ content, ...springPage, last: false }), MORE),
	row('Spring', 'PagedModel as a DTO', (content) => ({
		content,
		page: { size: 20, number: 0, totalElements: 2, totalPages: 1 },
	})),
	row(
		'Spring',
		'PagedModel as a DTO, the first of three',
		(content) => ({ content, page: { size: 2, number: 0, totalElements: 5, totalPages: 3 } }),
		MORE,
	),
	row('Spring HATEOAS', 'CollectionModel of containers', (containers, url) => ({
		_embedded: { containers },
		_links: { self: { href: url } },
	})),
	row(
		'Spring HATEOAS',
		'CollectionModel named after a class',
		(containerDtoList, url) => ({
			_embedded: { containerDtoList },
			_links: { self: { href: url } },
		}),
		NO_LIST,
	),
	paged('Spring HATEOAS', 'PagedModel', (entry, next) => ({
		_embedded: { contacts: [entry] },
		_links: next === null ? {} : { next: { href: next } },
		page: { size: 1, totalElements: 2, totalPages: 2, number: next === null ? 1 : 0 },
	})),
	row(
		'Spring HATEOAS',
		'PagedModel that links to plain HTTP, behind a proxy',
		(containers, url) => ({
			_embedded: { containers },
			_links: { next: { href: `${url.replace('https', 'http')}?page=1` } },
		}),
		/a link to http:\/\/share\.example\.com, where the API key is not sent/,
	),
	row('.NET', 'IEnumerable', (entries) => entries),
	row(
		'.NET',
		'ReferenceHandler.Preserve',
		(entries) => ({ $id: '1', $values: wrapped(entries) }),
		NO_LIST,
	),
	row(
		'.NET',
		'ReferenceHandler.Preserve in an object',
		(entries) => ({ $id: '1', items: { $id: '2', $values: wrapped(entries) } }),
		NO_LIST,
	),
	row('.NET', 'PascalCase', (Items) => ({ Items, TotalCount: 2 }), NO_LIST),
	row('.NET', 'paged result', (items) => ({
		items,
		pageNumber: 1,
		totalPages: 1,
		totalCount: 2,
		hasPreviousPage: false,
		hasNextPage: false,
	})),
	row('.NET', 'paged result with more', (items) => ({ items, hasNextPage: true }), MORE),
	row(
		'.NET',
		'paged result with more, in PascalCase',
		(items) => ({ items, HasNextPage: true }),
		MORE,
	),
	inHeader('.NET', 'IEnumerable, with X-Pagination in PascalCase', {
		'x-pagination': '{"TotalCount":57,"PageSize":2,"CurrentPage":1,"TotalPages":29,"HasNext":true}',
	}),
	inHeader('.NET', 'IEnumerable, with X-Pagination in camelCase', {
		'x-pagination': '{"totalCount":57,"pageSize":2,"currentPage":1,"totalPages":29}',
	}),
	inHeader('.NET', 'IEnumerable, with X-Total-Count', { 'x-total-count': '57' }),
	row('.NET', 'OData', (value, url) => ({ '@odata.context': `${url}/$metadata`, value })),
	paged('.NET', 'OData, in pages', (entry, next) => ({
		value: [entry],
		...(next === null ? {} : { '@odata.nextLink': next }),
	})),
	row(
		'.NET',
		'ABP',
		(items) => ({ result: { totalCount: 2, items }, success: true, error: null, __abp: true }),
		NO_LIST,
	),
	row('Django REST', 'list', (entries) => entries),
	row('Django REST', 'one page', (results) => ({ count: 2, next: null, previous: null, results })),
	paged('Django REST', 'pages', (entry, next) => ({
		count: 2,
		next,
		previous: null,
		results: [entry],
	})),
	row('Laravel', 'resource collection', (data) => ({ data })),
	row('Laravel', 'resource collection, one page', (data, url) => ({
		data,
		links: { first: `${url}?page=1`, last: `${url}?page=1`, prev: null, next: null },
		meta: { current_page: 1, from: 1, last_page: 1, links: laravelLinks, per_page: 15, total: 2 },
	})),
	paged('Laravel', 'resource collection, in pages', (entry, next) => ({
		data: [entry],
		links: { first: null, last: null, prev: null, next },
		meta: { current_page: 1, last_page: 2, links: laravelLinks, per_page: 1, total: 2 },
	})),
	paged('Laravel', 'paginator', (entry, next) => ({
		current_page: next === null ? 2 : 1,
		data: [entry],
		last_page: 2,
		links: laravelLinks,
		next_page_url: next,
		per_page: 1,
		prev_page_url: null,
		total: 2,
	})),
	row(
		'Laravel',
		'collection after filter()',
		([one, two]) => ({ data: { 0: one, 2: two } }),
		NO_LIST,
	),
	row('Go', 'slice', (entries) => entries),
	row('Go', 'slice in a struct', (containers) => ({ containers, total: 2 })),
	row('Go', 'slice in a struct with a token', (items) => ({ items, next_page_token: 'abc' }), MORE),
	row('FastAPI', 'list', (entries) => entries),
	row('FastAPI', 'Page', (items) => ({ items, total: 2, page: 1, size: 50, pages: 1 })),
	row(
		'FastAPI',
		'Page, the first of 29',
		(items) => ({ items, total: 57, page: 1, size: 2, pages: 29 }),
		MORE,
	),
	row('FastAPI', 'CursorPage with more', (items) => ({ items, next_page: 'Pjo=' }), MORE),
	row('PHP', 'numbers and booleans as text', (data) => ({
		data,
		total: '2',
		pages: '1',
		has_more: '0',
	})),
	row('PHP', 'more, as text', (data) => ({ data, has_more: '1' }), MORE),
	row('PHP', 'more, as a number', (data) => ({ data, has_more: 1 }), MORE),
	row('PHP', 'a list with gaps', ([one, two]) => ({ 1: one, 3: two }), NO_LIST),
	row('Rails', 'to_json', (entries) => entries),
	row('Rails', 'Kaminari', (contacts) => ({
		contacts,
		meta: { current_page: 1, next_page: null, prev_page: null, total_pages: 1, total_count: 2 },
	})),
	row(
		'Rails',
		'Kaminari with more',
		(data) => ({ data, meta: { current_page: 1, next_page: 2, total_pages: 2, total_count: 4 } }),
		MORE,
	),
	row('protobuf', 'message', (items) => ({ items, nextPageToken: '' })),
	row('protobuf', 'message with more', (items) => ({ items, nextPageToken: 'CAo=' }), MORE),
	row('protobuf', 'counts as text', (items) => ({ items, totalSize: '2', totalCount: '57' }), MORE),
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
	empty('Spring', 'Page', {
		content: [],
		totalElements: 0,
		totalPages: 0,
		last: true,
		empty: true,
	}),
	empty('Spring HATEOAS', 'PagedModel', { _links: {}, page: { totalElements: 0 } }, NO_LIST),
	empty('.NET', 'ReferenceHandler.Preserve', { $id: '1', $values: [] }, NO_LIST),
	empty('.NET', 'null', { items: null, totalCount: 0 }),
	empty('Django REST', 'page', { count: 0, next: null, previous: null, results: [] }),
	empty('Laravel', 'paginator', { current_page: 1, data: [], from: null, last_page: 1, total: 0 }),
	empty('Go', 'nil slice', null, undefined, NO_LIST),
	empty('Go', 'nil slice in a struct', { contacts: null, total: 0 }),
	empty('Go', 'omitempty', { total: 0 }, NO_LIST),
	empty('FastAPI', 'Page', { items: [], total: 0, page: 1, size: 50, pages: 0 }),
	empty('PHP', 'empty array', []),
	empty('PHP', 'false', false, NO_LIST),
	empty('protobuf', 'message', {}, NO_LIST),
	empty('.NET', 'failure in PascalCase', { items: null, Success: false }, /reports a failure/),
	empty('PHP', 'failure as text', { data: [], success: '0' }, /reports a failure/),
	empty('Laravel', 'failure', { data: null, status: false, message: 'Locked' }, /failure "Locked"/),
];
