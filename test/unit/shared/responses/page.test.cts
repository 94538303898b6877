import { readPage } from '../../../../nodes/shared/responses/page';
import { rowsOf } from '../../../support/texts.cts';
import { toBody } from '../../support/body.cts';

const entries = [{ uuid: 'c-1' }, { uuid: 'c-2' }];
const next = 'https://share.example.com/api/v1/users/u/containers?page=2';

const read = async (value: unknown, headers: Record<string, string> = {}) =>
	readPage(await toBody(value), headers);

describe('the entries of a list', () => {
	it.each<[string, unknown]>([
		['at the top', entries],
		['under any name', { list: entries }],
		['under a name of .NET', { Items: entries, TotalCount: 2 }],
		['with null between', { docs: [entries[0], null, entries[1]], hasNextPage: false }],
		['beside lists of text', { data: entries, tags: ['a'], columns: ['uuid', 'name'] }],
		['beside empty lists', { containers: entries, warnings: [] }],
		['beside links and errors', { data: entries, errors: [{ a: 1 }], links: [{ rel: 'self' }] }],
		['in data, beside others', { data: entries, included: [{ type: 'people' }] }],
		['in data', { success: true, data: { containers: entries, page: 1 } }],
		['in _embedded', { _embedded: { containerDtoList: entries }, page: { totalElements: 2 } }],
	])('are found %s', async (_where, value) => {
		expect((await read(value))?.entries).toEqual(entries);
	});

	it.each<[unknown]>([
		[''],
		[[]],
		[{ list: [], total: 0 }],
		[{ data: [], warnings: [{ code: 7 }] }],
		[{ data: { items: [] } }],
		[{ message: 'No containers', containers: [] }],
	])('can be none: %j', async (value) => {
		expect((await read(value))?.entries).toEqual([]);
	});

	it.each<[unknown]>([
		['OK'],
		['null'],
		[{ containers: null }],
		[{}],
		[{ uuid: 'c-1', name: 'One' }],
		[{ errors: [{ message: 'No' }] }],
		[{ containers: ['c-1', 'c-2'] }],
		[{ owned: entries, shared: entries }],
		[{ result: { items: entries } }],
	])('are not in %j', async (value) => {
		expect(await read(value)).toBeUndefined();
	});
});

const urls = rowsOf<object>(`
	Django REST: { count: 3, next: ${next}, previous: null, results: [] }
	Laravel: { data: [], next_page_url: ${next}, links: [{ url: null, label: 1 }] }
	JSON:API: { data: [], links: { next: ${next}, prev: null } }
	HAL: { _embedded: { contacts: [] }, _links: { self: { href: x }, next: { href: ${next} } } }
	OData: { value: [], "@odata.nextLink": ${next} }
	Azure: { value: [], nextLink: ${next} }
	the meta data: { data: [], meta: { next: ${next}, next_cursor: abc } }
	the pagination: { data: [], pagination: { nextPageUrl: ${next} } }
`);

it.each(urls)('the next page is found as in %s', async (_form, value) => {
	expect((await read(value))?.nextUrl).toBe(next);
});

it.each([
	['an absolute URL', `<${next}>; rel="next"`],
	['no quotes', `<${next}>;rel=next`],
	['spaces and capitals', `<${next}> ; REL = "NEXT"`],
	['several relations', `<${next}>; rel="last next"`],
	['other parameters', `<${next}>; title="a, b; c"; crossorigin; rel="next"; x=1`],
	['other links', `</x>; title="rel=next"; rel="prev", <${next}>; rel="next", </y>; rel="up"`],
	['a comma in the URL', `<${next}&ids=1,2>; rel="next"`, `${next}&ids=1,2`],
])('the Link header comes first, with %s', async (_form, link, expected = next) => {
	expect((await read({ data: [], next: '?page=7' }, { link }))?.nextUrl).toBe(expected);
});

it.each<[Record<string, string>]>([
	[{ link: `<${next}>; rel="nextval"` }],
	[{ link: `<${next}>; rel="prev last"` }],
	[{ 'x-next-page-url': next }],
])('nothing else in headers is a next page: %j', async (headers) => {
	expect((await read([], headers))?.nextUrl).toBeUndefined();
});

it.each<[string, unknown, string, unknown]>([
	['a flag', { data: [], has_more: true }, 'has_more', true],
	['a flag in camel case', { data: [], meta: { hasMore: true } }, 'hasMore', true],
	['a cursor', { data: [], pagination: { next_cursor: 'abc' } }, 'next_cursor', 'abc'],
	['a token', { data: [], nextPageToken: 'abc' }, 'nextPageToken', 'abc'],
	['a page', { data: [], page: { next_page: 2 } }, 'next_page', 2],
	['a cursor as next', { data: [], next: 'abc' }, 'next', 'abc'],
])('more is there with %s', async (_what, value, name, shown) => {
	expect((await read(value))?.more).toEqual({ name, value: shown });
});

it.each<[unknown, Record<string, string>, string, unknown]>([
	[{ data: [], total: 3 }, {}, 'total', 3],
	[{ data: [], meta: { total_count: '3' } }, {}, 'total_count', '3'],
	[{ data: [], pagination: { totalCount: 3 } }, {}, 'totalCount', 3],
	[[], { 'x-total-count': '3' }, 'X-Total-Count', '3'],
	[[], { 'content-range': 'items 0-1/25' }, 'Content-Range', '25'],
])('the number of all entries is in %j %j', async (value, headers, name, total) => {
	expect((await read(value, headers))?.total).toEqual({ name, value: total });
});

it.each<[object, Record<string, string>]>([
	[{}, { 'x-envoy-attempt-count': '1', 'x-credits-remaining': '90', 'x-refresh-token': 'abc' }],
	[{}, { 'content-range': '0-1/*', 'x-pagination': '{"TotalCount":7}' }],
	[{ has_more: false, total_opens: 57, next: null, next_cursor: '', nextPageToken: null }, {}],
	[{ stats: { total_files: 9, total: 9 }, sync_token: 'abc', total: { value: 9 } }, {}],
	[{ _links: { next: { href: null } }, page: { number: 0, size: 20, totalElements: 2 } }, {}],
	[{ meta: { current_page: 1, last_page: 9, per_page: 15, to: 2 } }, {}],
])('nothing else speaks of more: %j %j', async (fields, headers) => {
	const page = await read({ data: entries, ...fields }, headers);
	expect(page).toEqual({ entries });
});
