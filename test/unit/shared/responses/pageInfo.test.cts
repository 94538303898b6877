import { findRest, getPageInfo, isCount } from '../../../../nodes/shared/responses/pageInfo';
import { findList } from '../../../../nodes/shared/responses/shapes';
import { rowsOf } from '../../../support/texts.cts';

const url = 'https://share.example.com/api/v1/users/u/containers';
const next = `${url}?page=2`;
const list = [{ uuid: 'c-1', total: 99 }, { uuid: 'c-2' }];

const read = (value: unknown, headers: Record<string, string> = {}, status = 200) =>
	getPageInfo(status, headers, value, findList(value) ?? []);

/** What speaks of more after so many pages, with two entries on each. */
const restOf = (
	value: unknown,
	headers: Record<string, string> = {},
	{ pages = 1, status = 200 } = {},
) => {
	const progress = { entries: 2 * pages, pages, url: pages === 1 ? url : `${url}?page=${pages}` };
	return findRest(read(value, headers, status), progress, new Map());
};

describe('the URL of the next page', () => {
	const bodies = rowsOf<object>(`
		Django REST: { count: 3, next: ${next}, previous: null, results: [] }
		Laravel resources, JSON:API: { data: [], links: { next: ${next}, prev: null } }
		a link object: { data: [], links: { next: { href: ${next} } } }
		a list of links: { data: [], links: [{ rel: self, href: ${url} }, { rel: next, href: ${next} }] }
		HAL: { _embedded: { contacts: [] }, _links: { next: { href: ${next} } } }
		OData: { value: [], "@odata.nextLink": ${next} }
		older OData: { value: [], odata.nextLink: ${next} }
		an envelope: { data: { data: [], next_page_url: ${next} } }
		Fractal: { data: [], meta: { pagination: { total_pages: 2, links: { next: ${next} } } } }
		HubSpot: { results: [], paging: { next: { after: x, link: ${next} } } }
		Salesforce: { records: [], done: false, nextRecordsUrl: ${next} }
		a deep holder: { data: [], a: { b: { c: { d: { NEXT_URL: ${next} } } } } }
	`);

	it.each(bodies)('is found in the body of %s', (_form, body) => {
		expect(read(body).nextUrl).toBe(next);
	});

	it.each([
		['an absolute URL', `<${next}>; rel="next"`],
		['no quotes', `<${next}>;rel=next`],
		['spaces and capitals', `<${next}> ; REL = "NEXT"`],
		['several relations', `<${next}>; rel="last next"`],
		['other parameters', `<${next}>; title="a, b; c"; crossorigin; rel="next"; x=1`],
		['other links', `</x>; title="rel=next"; rel="prev", <${next}>; rel="next", </y>; rel="up"`],
		['a comma in the URL', `<${next}&ids=1,2>; rel="next"`, `${next}&ids=1,2`],
		['a query', '<?page=2>; rel="next"', '?page=2'],
		['no scheme', '<//share.example.com/x>; rel="next"', '//share.example.com/x'],
	])('is taken from the Link header before the body, with %s', (_form, link, expected = next) => {
		expect(read({ data: [], next: '?page=7' }, { link }).nextUrl).toBe(expected);
	});

	it('is found in other headers', () => {
		expect(read([], { 'x-next-page-url': next }).nextUrl).toBe(next);
	});

	it.each(['/api/v1/x?page=2', '?page=2', 'HTTP://share.example.com/x'])('can be %s', (link) => {
		expect(read({ data: [], next: link }).nextUrl).toBe(link);
	});

	it.each([
		'',
		`<${next}>; rel="prev"`,
		`<${next}>; rel="next-archive"`,
		`<${next}>`,
		`<${next}>; title="next"`,
		`<${next}>; xrel="next"`,
		`${next}; rel=next`,
	])('is not in the Link header %s', (link) => {
		expect(read([], { link }).nextUrl).toBeUndefined();
	});

	it('is searched quickly in 16 kB of any text, the maximum size of a header', () => {
		const startedAt = Date.now();
		for (const hostile of [
			'<'.repeat(16_000),
			`<a>${';a'.repeat(8_000)}`,
			`<a>;${' '.repeat(16_000)}`,
			`<a>; rel="${'\\"'.repeat(8_000)}`,
			`<a>${'; a = '.repeat(2_600)}`,
			'<a>;a'.repeat(3_200),
		]) {
			expect(read([], { link: hostile, [hostile.slice(0, 16_000)]: 'x' }).nextUrl).toBeUndefined();
		}
		for (const name of ['page'.repeat(4_000), `${'pages'.repeat(3_000)}x`]) {
			read({ data: [], [name]: 1 });
		}
		expect(Date.now() - startedAt).toBeLessThan(5_000);
	});
});

describe('a list that is whole', () => {
	const spring = `size: 20, number: 0, numberOfElements: 2, first: true, last: true, empty: false,
			pageable: { pageNumber: 0, pageSize: 20, offset: 0, paged: true, unpaged: false },
			sort: { empty: true, sorted: false, unsorted: true }`;
	const laravel = `links: [{ url: null, label: "&laquo; Previous", active: false }], path: ${url},
			current_page: 1, from: 1, last_page: 1, per_page: 15, to: 2, total: 2`;
	const bodies = rowsOf<object>(`
		alone: &list [{ uuid: c-1, total: 99 }, { uuid: c-2 }]
		null: null
		with other fields: { data: *list, status: ok, took: 12, sort: { by: name } }
		Spring: { content: *list, ${spring}, totalPages: 1, totalElements: 2 }
		.NET: { items: *list, pageNumber: 1, totalPages: 1, totalCount: 2, hasNextPage: false }
		OData: { "@odata.context": ${url}/$metadata, "@odata.count": 2, value: *list }
		Django REST: { count: 2, next: null, previous: null, results: *list }
		Laravel: { data: *list, first_page_url: ${url}?page=1, next_page_url: null, ${laravel} }
		FastAPI with cursors: { items: *list, total: null, current_page: Pj0=, next_page: null }
		PHP: { data: *list, total: "2", pages: "1", has_more: "0" }
		protobuf: { items: *list, nextPageToken: "", totalSize: "2" }
		Stripe: { object: list, url: /v1/containers, has_more: false, data: *list }
		Relay: { items: *list, pageInfo: { hasNextPage: false, startCursor: a, endCursor: b } }
		Jira: { startAt: 0, maxResults: 50, total: 2, isLast: true, values: 3, items: *list }
		AWS: { IsTruncated: false, Marker: "", MaxKeys: 1000, KeyCount: 2, items: *list }
		a count of less: { data: *list, total: 1, offset: 0, unread_count: 0 }
		times: { data: *list, last_updated: 2026-11-22, last_sync: 1795000000, completed: 2026-11-22 }
		tokens: { data: *list, csrf_token: x, accessToken: y }
		quotas: { data: *list, rate_limit: { remaining: 17, total: 99 }, storage: { total: 1 } }
		ends: { data: *list, start: 0, end: 25, endOfRecords: true, exceededTransferLimit: false }
		people: { data: *list, user: { first_name: Anna, last_name: Berg } }
		sizes: { data: *list, page_size: 20, perPage: 20, limit: 50, total_bytes: 5000 }
		NestJS: { items: *list, links: { first: ${url}?limit=9, next: "", last: ${url}?page=1&limit=9 } }
		Twitter: { data: *list, next_cursor: 0, next_cursor_str: "0", previous_cursor: 0 }
		an empty total: { data: *list, total: null, remaining: 0, complete: true }
		Kaminari: { contacts: *list, meta: { current_page: 1, next_page: null, total_pages: 1 } }
		an empty name: { data: *list, "": 1, account: { discount: 5 } }
	`);

	it.each(bodies)('has nothing that speaks of more: %s', (_form, body) => {
		expect(read(body).nextUrl).toBeUndefined();
		expect(restOf(body)).toBeUndefined();
	});

	const lastPages = rowsOf<object>(`
		Spring: { number: 1, last: true, totalPages: 2, pageable: { offset: 2 } }
		Django REST: { count: 4, next: null, previous: ${url} }
		Laravel: { links: { first: ${url}, last: ${url}?page=2, next: null }, meta: { last_page: 2, to: 4 } }
		plain HTTP: { links: { last: ${url.replace('https', 'http')}?page=2 } }
	`);

	it.each(lastPages)('has nothing on its second and last page: %s', (_form, body) => {
		expect(restOf({ data: list, ...body }, {}, { pages: 2 })).toBeUndefined();
	});

	const headersOf = rowsOf<Record<string, string>>(`
		GitLab: { x-next-page: "", x-page: "1", x-per-page: "20", x-total: "2", x-total-pages: "1" }
		Pagy: { page-items: "25", total-pages: "1", x-page-speed: "1.13" }
		first and last: { link: '<${url}?page=1>; rel="first", <${url}?page=1>; rel="last"' }
		GitHub on the last page: { link: '<${url}>; rel="prev", <${url}>; rel="first"' }
		.NET: { x-pagination: '{"TotalCount":2,"PageSize":20,"TotalPages":1,"HasNext":false}' }
		a range: { content-range: items 0-1/2, accept-ranges: items }
		rates: { x-ratelimit-limit: "60", x-ratelimit-remaining: "59", ratelimit-remaining: "5" }
		more rates: { x-rate-limit-remaining-minute: "3", x-requests-remaining: "7", retry-after: "1" }
		everyday headers: { content-length: "999", age: "3", etag: '"9"', x-request-id: "99", date: x }
		other things: { x-auth-token: b, x-cache-hits: "7", x-retry-count: "3", x-page-cache: HIT }
		other links: { link: '</style.css>; rel=preload, </docs>; rel="describedby"' }
	`);

	it.each(headersOf)('has nothing in its headers that speaks of more: %s', (_form, headers) => {
		const status = 'content-range' in headers ? 206 : 200;
		expect(restOf(list, headers, { status })).toBeUndefined();
	});

	it('has its numbers also where later pages have others or none', () => {
		const { hints } = read({ data: list, total: 5, page: 1, cursor: 'x', range: '0-1/5' });
		expect([...hints].filter(([, hint]) => isCount(hint)).map(([name]) => name)).toEqual([
			'total',
			'page',
			'range',
		]);
		const last = (value: unknown) =>
			findRest(read(value), { entries: 4, pages: 2, url }, new Map(hints));
		expect(last({ data: list, cursor: '', range: '' })).toBe('"total" is 5');
		expect(last({ data: list, total: 4, cursor: '' })).toBe('"total" is 5');
		expect(last({ data: list, total: 6, cursor: '' })).toBe('"total" is 5');
	});
});

describe('a list that might not be whole', () => {
	it.each<[object, string]>([
		[{ links: [{ rel: 'next' }] }, '"links.next" is {"rel":"next"}'],
		[{ paging: { next: { after: 'x' } } }, '"paging.next" is {"after":"x"}'],
		[{ pagination: { page: 1, pages: 3 } }, '"pagination.pages" is 3'],
		[{ meta: { page: { last: 3 } } }, '"meta.page.last" is 3'],
		[{ next: 'x'.repeat(200) }, `"next" is "${'x'.repeat(99)}`],
		[{ next_cursor: 'abc', has_more: false }, '"next_cursor" is "abc"'],
		[{ last: `${url}?page=3` }, `"last" is "${url}?page=3"`],
		[{ links: { first: url, last: { href: next } } }, `"links.last" is "${next}"`],
		[{ deep: { down: { under: { Rest: 5 } } } }, '"deep.down.under.Rest" is 5'],
		[{ meta: [{ total: 50 }] }, '"meta.0.total" is 50'],
	])('has what speaks of more, by its name and value: %j', (fields, words) => {
		expect(read({ data: list, ...fields }).nextUrl).toBeUndefined();
		expect(restOf({ data: list, ...fields })).toBe(words);
		expect(restOf({ data: { items: list, ...fields } })).toMatch(/^"data\./);
	});

	it.each<[object]>(
		[
			...[{ links: [{ rel: 'next', href: 'x' }] }, { next: 'abc' }, { next: '/a b' }],
			...[{ next: 'https://%zz:x' }, { nextOffset: 2 }, { nextPageToken: 'abc' }, { more: true }],
			...[{ has_more: '1' }, { hasmore: 'true' }, { HasNextPage: true }, { isTruncated: true }],
			...[{ is_last_page: false }, { last_page: '3' }, { last_id: 'c-2' }, { remaining: 1 }],
			...[{ LastEvaluatedKey: { id: 'c-2' } }, { pageInfo: { endCursor: 'b' } }, { left: 3 }],
			...[{ continuationToken: 'x' }, { scroll_id: 'abc' }, { offset: 'itr/rec' }, { offset: 2 }],
			...[{ done: false }, { complete: 0 }, { complete: 'no' }, { incomplete_results: true }],
			...[{ remainingContainers: '3' }, { total: 3 }, { total: 'many' }, { total: 7.5 }],
			...[{ total: { value: 57 } }, { '@odata.count': 3 }, { totalcount: 3 }, { rowcount: 3 }],
			...[{ has_more: false, contact_count: 3 }, { page: 2 }, { page: '1 of 3' }, { hits: 5 }],
			...[{ pages: [1, 2] }, { pagination: true }, { range: '0-1/57' }, { range: '0-1' }],
			...[{ limit_reached: true }, { endOfRecords: false }, { is_end: false }],
			...[{ exceededTransferLimit: true }],
		].map((fields) => [fields]),
	)('has what speaks of more: %j', (fields) => {
		expect(restOf({ data: list, ...fields })).toContain(`"${Object.keys(fields).at(-1)}`);
	});

	it.each<[Record<string, string>, string]>([
		[{ 'x-next-page': '2' }, '"x-next-page" is "2"'],
		[{ 'x-nextpage': '2' }, '"x-nextpage" is "2"'],
		[{ 'x-total-pages': '3' }, '"x-total-pages" is "3"'],
		[{ 'x-totalpages': '3' }, '"x-totalpages" is "3"'],
		[{ 'x-has-more': 'true' }, '"x-has-more" is "true"'],
		[{ 'x-total-count': '57' }, '"x-total-count" is "57"'],
		[{ 'x-total-count': 'many' }, '"x-total-count" is "many"'],
		[{ 'x-continuation-token': 'abc' }, '"x-continuation-token" is "abc"'],
		[{ 'x-page-token': 'abc' }, '"x-page-token" is "abc"'],
		[{ 'x-pagination': '{"TotalCount":57,"HasNext":true}' }, '"x-pagination.TotalCount" is 57'],
		[{ 'x-pagination': '{cut' }, '"x-pagination" is "{cut"'],
		[{ link: `<${next}>; rel="last"` }, `"link: last" is "${next}"`],
		[{ link: '<https://>; rel="next"' }, '"link: next" is "https://"'],
		[{ 'content-range': 'items 0-1/57' }, '"content-range" is "items 0-1/57"'],
		[{ 'content-range': 'items 0-1/*' }, '"content-range" is "items 0-1/*"'],
	])('has a header that speaks of more: %j', (headers, words) => {
		expect(restOf(list, headers)).toBe(words);
		expect(restOf(list, headers, { status: 206 })).toBe(words);
	});

	it.each([202, 206, 207])('has the status %i', (status) => {
		expect(restOf(list, {}, { status })).toBe(`"status" is ${status}`);
	});
});

it.each(['items 1000-1124/1125', '1125'])('a number of several digits is counted: %s', (text) => {
	const rest = (entries: number) => {
		const info = read([], { 'content-range': text }, 206);
		return findRest(info, { entries, pages: 1, url }, new Map());
	};
	expect(rest(1125)).toBeUndefined();
	expect(rest(1124)).toBe(`"content-range" is "${text}"`);
});
