import { getPageInfo } from '../../../../nodes/shared/responses/pageInfo';

const url = 'https://share.example.com/api/v1/users/u/containers?page=2';

describe('the page info of a list', () => {
	it.each<[string, object]>([
		['next (Django REST)', { count: 3, next: url, previous: null, results: [] }],
		['next_page_url (Laravel)', { data: [], next_page_url: url, current_page: 1 }],
		['links.next (Laravel resources, JSON:API)', { data: [], links: { next: url, prev: null } }],
		['links.next as an object', { data: [], links: { next: { href: url } } }],
		['_links.next.href (HAL)', { _embedded: {}, _links: { next: { href: url } } }],
		['@odata.nextLink (OData)', { value: [], '@odata.nextLink': url }],
		['NextLink (.NET)', { Items: [], NextLink: url }],
		['paging.next', { data: [], paging: { next: url } }],
		['meta.nextUrl', { data: [], meta: { nextUrl: url } }],
		['data.next_page_url (Laravel in an envelope)', { data: { data: [], next_page_url: url } }],
		...['result', 'response', 'page', 'page_info', 'pageInfo'].map((holder): [string, object] => [
			`${holder}.next`,
			{ items: [], [holder]: { next: url } },
		]),
		['odata.nextLink (older OData)', { value: [], 'odata.nextLink': url }],
		[
			'meta.pagination.links.next (Fractal)',
			{ data: [], meta: { pagination: { links: { next: url } } } },
		],
	])('has the URL of the next page: %s', (_form, body) => {
		expect(getPageInfo(body)).toMatchObject({ nextUrl: url });
	});

	it.each(['/api/v1/x?page=2', '?page=2', 'HTTP://share.example.com/x'])(
		'accepts %s as a URL',
		(nextUrl) => {
			expect(getPageInfo({ next: nextUrl })).toEqual({ nextUrl });
		},
	);

	it.each<[object, string]>([
		[{ data: [], nextPageToken: 'abc' }, 'it has a value in "nextPageToken"'],
		[{ data: [], next_cursor: 'abc', has_more: true }, 'it has a value in "next_cursor"'],
		[{ data: [], has_more: true }, '"has_more" is true'],
		[{ data: [], has_more: 'true' }, '"has_more" is true'],
		[{ data: [], has_more: '1' }, '"has_more" is 1'],
		[{ data: [], hasNext: true }, '"hasNext" is true'],
		[{ data: [], pageInfo: { hasNextPage: true } }, '"hasNextPage" is true'],
		[{ data: [], nextToken: 'abc' }, 'it has a value in "nextToken"'],
		[{ data: [], continuationToken: 'abc' }, 'it has a value in "continuationToken"'],
		[{ data: [], nextPage: true }, 'it has a value in "nextPage"'],
		[{ data: [], next: 'abc/def' }, 'it has a next page without a URL'],
		[{ data: [], next: '/a b' }, 'it has a next page without a URL'],
		[{ content: [], last: false, page: { number: 1 } }, '"last" is false'],
		[{ data: [], meta: { next_page: 2 } }, 'it has a value in "next_page"'],
		[{ data: [], next: 2 }, 'it has a next page without a URL'],
		[{ data: [], next: 'abc' }, 'it has a next page without a URL'],
		[{ content: [], last: false, totalElements: 9 }, '"last" is false'],
	])('announces more: %j', (body, reason) => {
		expect(getPageInfo(body).announcesMore).toBe(reason);
		expect(getPageInfo(body).nextUrl).toBeUndefined();
	});

	it.each<[object, number]>([
		[{ total: 7 }, 7],
		[{ meta: { total: '7' } }, 7],
		[{ total: '12' }, 12],
		[{ data: [], total_results: 7 }, 7],
		[{ data: [], TotalCount: 7 }, 7],
		[{ data: [], total_items: 7, count: 1 }, 7],
		[{ page: { totalElements: 7, number: 0 } }, 7],
		[{ '@odata.count': 7 }, 7],
		[{ data: { items: [], total: 7 } }, 7],
		[{ data: [], meta: { pagination: { total: 7 } } }, 7],
	])('has the total of %j', (body, total) => {
		expect(getPageInfo(body).total).toBe(total);
	});

	it('can be in a header', () => {
		const header = '{"TotalCount":7,"TotalPages":3,"nextPageLink":"/api/v1/x?page=2"}';
		const info = { nextUrl: '/api/v1/x?page=2', total: 7, totalPages: 3 };
		expect(getPageInfo([], header)).toEqual(info);
		expect(getPageInfo([], 'page 2')).toEqual(getPageInfo([]));
	});

	it.each<[object, number]>([
		[{ data: [], page: 1, total_pages: 3 }, 3],
		[{ content: [], totalPages: 3, number: 0 }, 3],
		[{ data: [], pageCount: 3 }, 3],
		[{ data: [], meta: { current_page: 1, last_page: '3' } }, 3],
	])('has the number of pages of %j', (body, totalPages) => {
		expect(getPageInfo(body).totalPages).toBe(totalPages);
	});

	it.each<[unknown]>([
		[[]],
		[null],
		['text'],
		[{ data: [] }],
		[{ data: [], next: null, links: { next: null }, nextPageToken: '', has_more: false }],
		[{ content: [], last: true }],
		[{ data: [], total: 'many' }],
		[{ next: '' }],
		[{ next: [[url]] }],
		[{ nextPageToken: ' ' }],
		[{ data: { meta: { pagination: { links: { next: url } } } } }],
		...[true, [7], '', '-7', '7.0', 7.5].map((total): [unknown] => [{ total }]),
	])('has nothing in %j', (body) => {
		const { nextUrl, announcesMore, total } = getPageInfo(body);
		expect([nextUrl, announcesMore, total]).toEqual([undefined, undefined, undefined]);
	});
});
