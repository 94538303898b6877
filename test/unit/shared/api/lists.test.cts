import { Readable } from 'node:stream';
import { CONTAINER_LIST, fetchEntries } from '../../../../nodes/shared/api/lists';
import { readPage } from '../../../../nodes/shared/responses/page';
import { rowsOf } from '../../../support/texts.cts';
import { baseUrl, errorOf, setUpClient, toBody, type Reply } from '../../support/client.cts';

const list = `${baseUrl}/users/u/containers`;

const page = (ids: number[], next?: string, more: object = {}): Reply => ({
	body: { data: ids.map((id) => ({ id })), ...more },
	headers: next === undefined ? {} : { link: `<${next}>; rel="next"` },
});

const fetchFrom = async (replies: Reply[], options: Parameters<typeof fetchEntries>[3] = {}) => {
	const { client, sent } = setUpClient(replies);
	const entries = await fetchEntries(client, CONTAINER_LIST, 'u', options);
	return { ids: entries.map(({ id }) => id).join(), urls: sent.map(({ url }) => url) };
};

describe('a list over several pages', () => {
	it.each([
		['?page=2', `${list}?page=2`],
		['users/u/containers?page=2', `${list}?page=2`],
		['/users/u/containers?page=2', `${list}?page=2`],
		['/api/v1/users/u/containers?page=2', `${list}?page=2`],
		[`${list}?page=2`, `${list}?page=2`],
		['http://share.example.com/api/v1/more', `${baseUrl}/more`],
		['https://share.example.com/api/v2/more', 'https://share.example.com/api/v2/more'],
		['https://anna:pw@share.example.com/api/v1/more', `${baseUrl}/more`],
		['https://public.example.org/api/v1/more?a=1#b', `${baseUrl}/more?a=1`],
		['//public.example.org/api/v1/more', `${baseUrl}/more`],
		['http://10.0.0.7:8443/api/v1/more', `${baseUrl}/more`],
	])('is read by its links: %s', async (link, url) => {
		expect(await fetchFrom([page([1, 2], link), page([3])])).toEqual({
			...{ ids: '1,2,3', urls: [list, url] },
		});
	});

	it('is limited to the matching records', async () => {
		const replies = [page([1, 12], '?page=2'), page([2, 3], '?page=3')];
		const query: Array<[string, string]> = [
			['q', 'a b'],
			['sort', '-x'],
		];
		const matches = ({ id }: { id: string }) => Number(id) < 10;
		expect(await fetchFrom(replies, { query, limit: 2, matches })).toEqual({
			...{ ids: '1,2', urls: [`${list}?q=a+b&sort=-x`, `${list}?page=2`] },
		});
	});

	it('can have an entry twice on a page, and has one that a later page repeats once', async () => {
		const pages = [page([1, 1], '?page=2', { total: 3 }), page([1, 2], undefined, { total: 4 })];
		expect((await fetchFrom(pages)).ids).toBe('1,1,2');
	});

	it('can have pages of 64 MB', async () => {
		const entry = '[{"id":100}]';
		const pageOf = (bytes: number): Reply => ({
			body: Readable.from([Buffer.alloc(bytes - entry.length, ' '), Buffer.from(entry)]),
		});
		expect((await fetchFrom([pageOf(64_000_000)])).ids).toBe('100');
		const { message } = await errorOf(fetchFrom([pageOf(64_000_001)]));
		expect(message).toMatch(/more than 64 MB instead of a list/);
	});

	const noUrl = 'as the link to the next page instead of a URL';
	const endless = '21 pages without a new entry instead of a list that ends';
	const isMore = '2 entries, but there might be more because "total" is 3';
	const pagesOf = (count: number, ids: number[]) =>
		Array.from({ length: count }, (_, index) => page(ids, `?page=${index + 2}`));

	it.each<[string, Reply[]]>([
		[noUrl, [page([1], 'https://[')]],
		[noUrl, [page([1], 'javascript:more')]],
		['because "has_more" is true', [page([1], undefined, { has_more: true })]],
		['because "nextCursor" is "x"', [page([1], undefined, { meta: { nextCursor: 'x' } })]],
		// Later pages need not repeat a count.
		[isMore, [page([1], '?page=2', { total: 3 }), page([2])]],
		// An entry went from the second page to the first one, which was read before.
		[isMore, [page([1], '?page=2', { total: 3 }), page([3], undefined, { total: 2 })]],
		// An entry is shown twice, whatever else changed in it, and another one not at all.
		[isMore, [page([1, 2], '?page=2', { total: 3 }), { body: [{ id: 2, seen: true }] }]],
		[endless, pagesOf(21, [])],
		[endless, pagesOf(22, [1])],
	])('is not read where it has %s', async (problem, replies) => {
		await expect(fetchFrom(replies)).rejects.toMatchObject({
			message: expect.stringContaining(problem) as string,
			description: expect.stringContaining('Get Many with a low "Limit"') as string,
		});
	});

	it('can be enough in part', async () => {
		const onRest = jest.fn();
		const { ids } = await fetchFrom([page([1], undefined, { total: 3 })], { limit: 5, onRest });
		expect([ids, onRest.mock.calls]).toEqual(['1', [['"total" is 3']]]);
	});
});

it.each([{ name: 'Two' }, 'c-2'])('a list with an entry like %j is an error', async (entry) => {
	expect((await errorOf(fetchFrom([{ body: [{ uuid: 'c-1' }, entry] }]))).message).toBe(
		'The service returned an entry without an identifier instead of containers with a uuid for the request to list the containers',
	);
});

const entries = [{ uuid: 'c-1' }, { uuid: 'c-2' }];
const next = 'https://share.example.com/api/v1/users/u/containers?page=2';
const read = async (value: unknown, headers: Record<string, string> = {}) =>
	readPage(await toBody(value), headers);

describe('the entries of a page', () => {
	it.each<[string, unknown]>([
		['at the top, with null between', [entries[0], null, entries[1]]],
		['under any name', { Items: entries, TotalCount: 2 }],
		['beside lists of text', { data: entries, tags: ['a'], columns: ['uuid', 'name'] }],
		['beside empty lists', { containers: entries, warnings: [] }],
		['beside links and errors', { list: entries, errors: [{ a: 1 }], links: [{ rel: 'self' }] }],
		['in data, beside others', { data: entries, included: [{ type: 'people' }] }],
		['inside data', { success: true, data: { containers: entries, page: 1 } }],
		['in _embedded', { _embedded: { containerDtoList: entries }, page: { totalElements: 2 } }],
	])('are found %s', async (_where, value) => {
		expect((await read(value))?.entries).toEqual(entries);
	});

	it.each([[''], [{ data: [], warnings: [{ code: 7 }] }], [{ data: { items: [] } }]])(
		'can be none: %j',
		async (value) => {
			expect((await read(value))?.entries).toEqual([]);
		},
	);

	it.each<[unknown]>([
		['OK'],
		[{ containers: null }],
		[{ errors: [{ message: 'No' }] }],
		[{ containers: ['c-1', 'c-2'] }],
		[{ owned: entries, shared: entries }],
		[{ result: { items: entries } }],
	])('are not in %j', async (value) => {
		expect(await read(value)).toBeUndefined();
	});
});

it.each(
	rowsOf<object>(`
		Django REST: { count: 3, next: ${next}, previous: null, results: [] }
		Laravel: { data: [], next_page_url: ${next}, links: [{ url: null, label: 1 }] }
		JSON:API: { data: [], links: { next: ${next}, prev: null } }
		HAL: { _embedded: { contacts: [] }, _links: { self: { href: x }, next: { href: ${next} } } }
		OData: { value: [], "@odata.nextLink": ${next} }
		the meta data: { data: [], meta: { next: ${next}, next_cursor: abc } }
		the pagination: { data: [], pagination: { nextPageUrl: ${next} } }
		a page: { data: [], page: { nextLink: ${next} } }
	`),
)('the next page is found as in %s', async (_form, value) => {
	expect((await read(value))?.nextUrl).toBe(next);
});

it.each([
	['no quotes', `<${next}>;rel=next`],
	['spaces and capitals', `<${next}> ; REL = "NEXT"`],
	['several relations', `<${next}>; rel="last next"`],
	['other parameters', `<${next}>; title="a, b; c"; crossorigin; rel="next"; x=1`],
	['other links', `</x>; title="rel=next"; rel="prev", <${next}>; rel="next", </y>; rel="up"`],
	['a comma in the URL', `<${next}&ids=1,2>; rel="next"`, `${next}&ids=1,2`],
])('the Link header comes first, with %s', async (_form, link, expected = next) => {
	expect((await read({ data: [], next: '?page=7' }, { link }))?.nextUrl).toBe(expected);
});

it.each<[object, string, unknown]>([
	[{ meta: { hasMore: true } }, 'hasMore', true],
	[{ pagination: { next_cursor: 'abc' } }, 'next_cursor', 'abc'],
	[{ nextPageToken: 'abc' }, 'nextPageToken', 'abc'],
	[{ page: { next_page: 2 } }, 'next_page', 2],
	[{ next: 'abc' }, 'next', 'abc'],
])('more is there with %j', async (fields, name, value) => {
	expect((await read({ data: [], ...fields }))?.more).toEqual({ name, value });
});

it.each<[unknown, Record<string, string>, string, unknown]>([
	[{ data: [], meta: { total_count: '3' } }, {}, 'total_count', '3'],
	[{ data: [], pagination: { totalCount: 3 } }, {}, 'totalCount', 3],
	[[], { 'x-total-count': '3' }, 'x-total-count', '3'],
	[[], { 'content-range': 'items 0-1/25' }, 'content-range', '25'],
])('the number of all entries is in %j %j', async (value, headers, name, total) => {
	expect((await read(value, headers))?.total).toEqual({ name, value: total });
});

it.each<[object, Record<string, string>]>([
	[{}, { link: `<${next}>; rel="nextval prev"`, 'x-next-page-url': next }],
	[{}, { 'content-range': '0-1/*', 'x-pagination': '{"TotalCount":7}' }],
	[{ has_more: false, total_opens: 57, next: null, next_cursor: '', nextPageToken: null }, {}],
	[{ stats: { total_files: 9, total: 9 }, sync_token: 'abc', total: { value: 9 } }, {}],
	[{ _links: { next: { href: null } }, meta: { current_page: 1, last_page: 9 } }, {}],
])('nothing else speaks of more: %j %j', async (fields, headers) => {
	expect(await read({ data: entries, ...fields }, headers)).toEqual({ entries });
});
