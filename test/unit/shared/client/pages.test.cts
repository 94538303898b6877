import { fetchAllPages } from '../../../../nodes/shared/client/paginate';
import { baseUrl, errorOf, setUpClient, type Reply } from '../../support/client.cts';

const request = {
	method: 'GET',
	path: '/users/u/containers?page=1',
	action: 'list the containers',
} as const;
const next = (url: string) => ({ link: `<${url}>; rel="next"` });
const page = (body: unknown, nextUrl?: string): Reply => ({
	body,
	headers: nextUrl === undefined ? {} : next(nextUrl),
});

const fetchPages = async (replies: Reply[], limit = Number.POSITIVE_INFINITY) => {
	const { client, sent } = setUpClient(replies);
	const result = fetchAllPages(client, request, limit, (entry) =>
		entry === null ? undefined : `${String(entry)}!`,
	);
	return { result, sent };
};

const failWith = async (replies: Reply[]) => {
	const { result, sent } = await fetchPages(replies);
	return { message: (await errorOf(result)).message, count: sent.length };
};

describe('the pages of a list', () => {
	it('are fetched in their order, and their entries converted', async () => {
		const { result, sent } = await fetchPages([
			page(['a', null], '?page=2'),
			page([], `${baseUrl}/x`),
			page(['b']),
		]);
		expect(await result).toEqual(['a!', 'b!']);
		expect(sent.map(({ url }) => url)).toEqual([
			`${baseUrl}/users/u/containers?page=1`,
			`${baseUrl}/users/u/containers?page=2`,
			`${baseUrl}/x`,
		]);
	});

	it.each([
		[1, ['a!'], 1],
		[2, ['a!', 'b!'], 1],
		[3, ['a!', 'b!', 'c!'], 2],
		[5, ['a!', 'b!', 'c!'], 2],
	])('are fetched up to the limit of %i', async (limit, entries, count) => {
		const { result, sent } = await fetchPages([page(['a', 'b'], '?page=2'), page(['c'])], limit);
		expect(await result).toEqual(entries);
		expect(sent).toHaveLength(count);
	});

	it('need not be complete where the limit is reached', async () => {
		const { result } = await fetchPages([page({ data: ['a', 'b'], total: 9 })], 2);
		expect(await result).toEqual(['a!', 'b!']);
	});

	it('follow the URL in the body', async () => {
		const { result, sent } = await fetchPages([
			page({ data: ['a'], next: '?page=2' }),
			page(['b']),
		]);
		expect(await result).toEqual(['a!', 'b!']);
		expect(sent[1].url).toBe(`${baseUrl}/users/u/containers?page=2`);
	});

	it('follow the Link header rather than the body', async () => {
		const { result, sent } = await fetchPages([
			page({ data: ['a'], next: '?page=3' }, '?page=2'),
			page(['b']),
		]);
		await result;
		expect(sent[1].url).toMatch(/page=2$/);
	});

	it('follow a link to plain HTTP on the own host with HTTPS', async () => {
		const { result, sent } = await fetchPages([
			page({ data: ['a'], next: 'http://share.example.com/api/v1/x?page=2' }),
			page(['b'], 'http://share.example.com:80/api/v1/y'),
			page(['c']),
		]);
		expect(await result).toEqual(['a!', 'b!', 'c!']);
		expect(sent[1].url).toBe('https://share.example.com/api/v1/x?page=2');
		expect(sent[2].url).toBe('https://share.example.com/api/v1/y');
	});

	it('can be equal where they are empty, or alone', async () => {
		const { result } = await fetchPages([page([], '?page=2'), page([], '?page=3'), page(['a'])]);
		expect(await result).toEqual(['a!']);
	});

	it('count as an empty list without a body only where that is allowed', async () => {
		const { client } = setUpClient([{}, {}]);
		const allowed = { ...request, isEmptyAllowed: true };
		expect(await fetchAllPages(client, allowed, 1, (entry) => entry)).toEqual([]);
		await errorOf(fetchAllPages(client, request, 1, (entry) => entry));
	});

	const repeated = 'a page that was already fetched instead of the next page of the list';

	it.each<[string, Reply[], string, number]>([
		['that link to themselves', [page(['a'], '?page=1')], repeated, 1],
		['that repeat', [page(['a'], '?page=2'), page(['a'], '?page=3')], repeated, 2],
		['that repeat at the end', [page(['a'], '?page=2'), page(['a'])], repeated, 2],
		['that link to each other', [page(['a'], '?page=2'), page(['b'], '?page=1')], repeated, 2],
		[
			'of another origin',
			[page(['a'], 'https://evil.example.com/x')],
			'a link to https://evil.example.com, where the API key is not sent, instead of a link to its own',
			1,
		],
		[
			'with a user name',
			[page(['a'], 'https://a@share.example.com/api/v1/x')],
			'a link with a user name instead of a link to its own next page',
			1,
		],
		[
			'elsewhere',
			[page(['a'], '/api/v12/x')],
			`a link to a URL that is not below ${baseUrl} instead of a link to its own next page`,
			1,
		],
		['up from there', [page(['a'], '/api/v1/..%2Fx')], 'a link to a URL that is not below', 1],
		['up, in capitals', [page(['a'], '/api/v1/..%5Cx')], 'a link to a URL that is not below', 1],
		[
			'of more entries',
			[page({ data: ['a'], total: 2 })],
			'1 entries, but there might be more because "total" is 2, and no link to them, instead of the whole list',
			1,
		],
		[
			'of more entries by a header',
			[{ body: ['a'], headers: { 'x-total-count': '2' } }],
			'because "x-total-count" is "2", and',
			1,
		],
		[
			'of more entries, as an earlier page says',
			[{ body: { data: ['a'], total: 3, next: '?page=2' } }, page(['b'])],
			'because "total" is 3, and',
			2,
		],
		['in part', [{ status: 206, body: ['a'] }], 'because "status" is 206, and', 1],
		[
			'of another host on plain HTTP',
			[page(['a'], 'http://evil.example.com/api/v1/x')],
			'a link to http://evil.example.com, where the API key is not sent',
			1,
		],
		[
			'of another port',
			[page(['a'], 'http://share.example.com:8080/api/v1/x')],
			'a link to http://share.example.com:8080, where the API key is not sent',
			1,
		],
		[
			'after a link that is no URL',
			[page({ data: ['a'], next: '//%zz:x' })],
			'"next" is "//%zz:x"',
			1,
		],
		[
			'of more pages',
			[page(['a'], '?page=2'), page({ data: ['b'], total: 2, total_pages: 3 })],
			'2 entries, but there might be more because "total_pages" is 3, and',
			2,
		],
		['of more', [page({ data: ['a'], has_more: true })], 'because "has_more" is true, and', 1],
		[
			'without end',
			Array.from({ length: 30 }, (_value, index) => page([], `?page=${index + 2}`)),
			'returned 21 pages with a link to a next one instead of a list that ends',
			21,
		],
	])('are an error: %s', async (_what, replies, message, count) => {
		const error = await failWith(replies);
		expect(error.message).toContain(message);
		expect(error.message).toMatch(/ for the request to list the containers$/);
		expect(error.count).toBe(count);
	});

	it.each<[string, Reply[]]>([
		['as many entries as they have', [page(['a'], '?page=2'), page({ data: ['b'], total: 2 })]],
		['as many pages as they have', [page(['a'], '?page=2'), page({ data: ['b'], total_pages: 2 })]],
		[
			'fewer entries than an earlier page said',
			[{ body: { data: ['a'], total: 3, next: '?page=2' } }, page({ data: ['b'], total: 2 })],
		],
		[
			'some empty pages',
			[
				...Array.from({ length: 20 }, (_value, index) => page([], `?page=${index + 2}`)),
				page(['a'], '?page=22'),
				...Array.from({ length: 20 }, (_value, index) => page([], `?page=${index + 23}`)),
				page(['b']),
			],
		],
		[
			'an end after empty pages',
			[...Array.from({ length: 20 }, (_value, index) => page([], `?page=${index + 2}`)), page([])],
		],
	])('are complete with %s', async (_what, replies) => {
		const { result } = await fetchPages(replies);
		await expect(result).resolves.toBeDefined();
	});
});
