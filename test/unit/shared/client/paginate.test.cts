import { fetchAllPages, parseNextLink } from '../../../../nodes/shared/client/paginate';
import { baseUrl, errorOf, setUpClient, type Reply } from '../../support/client.cts';

const request = {
	method: 'GET',
	path: '/users/u/containers?page=1',
	action: 'list the containers',
} as const;
const page = (body: unknown, nextUrl?: string): Reply => ({
	body,
	headers: nextUrl === undefined ? {} : { link: `<${nextUrl}>; rel="next"` },
});
const empty = (count: number, first = 2) =>
	Array.from({ length: count }, (_value, index) => page([], `?page=${index + first}`));

/** Fetches a list of these pages; entries that are null don't count. */
function fetchPages(replies: Reply[], limit = Number.POSITIVE_INFINITY) {
	const { client, sent } = setUpClient(replies);
	const convert = (entry: unknown) => (entry === null ? undefined : `${String(entry)}!`);
	return { result: fetchAllPages(client, request, limit, convert), sent };
}

describe('the pages of a list', () => {
	it('are fetched in their order, and their entries converted', async () => {
		const { result, sent } = fetchPages([
			page(['a', null], '?page=2'),
			page([], `${baseUrl}/x`),
			page(['b']),
		]);
		expect(await result).toEqual(['a!', 'b!']);
		expect(sent.map(({ url }) => url.slice(baseUrl.length))).toEqual([
			'/users/u/containers?page=1',
			'/users/u/containers?page=2',
			'/x',
		]);
	});

	it.each([
		[1, ['a!'], 1],
		[2, ['a!', 'b!'], 1],
		[3, ['a!', 'b!', 'c!'], 2],
		[5, ['a!', 'b!', 'c!'], 2],
	])('are fetched up to the limit of %i', async (limit, entries, count) => {
		const { result, sent } = fetchPages([page(['a', 'b'], '?page=2'), page(['c'])], limit);
		expect(await result).toEqual(entries);
		expect(sent).toHaveLength(count);
	});

	it.each<[string, Reply[], string[]]>([
		['a link in the body', [page({ data: ['a'], next: '?page=2' }), page(['b'])], ['a!', 'b!']],
		[
			'another link in the body',
			[page({ data: ['a'], next: 'https://%zz:x' }, '?page=2'), page(['b'])],
			['a!', 'b!'],
		],
		['a link that is no URL', [page({ data: ['a'], next: '//%zz:x' })], ['a!']],
		['equal empty pages', [...empty(2), page(['a'])], ['a!']],
		[
			'as many as announced',
			[page(['a'], '?page=2'), page({ data: ['b'], total: 2 })],
			['a!', 'b!'],
		],
		[
			'as many pages as announced',
			[page(['a'], '?page=2'), page({ data: ['b'], total_pages: 2 })],
			['a!', 'b!'],
		],
		['a total that is no number', [{ body: ['a'], headers: { 'x-total-count': 'many' } }], ['a!']],
		[
			'twenty empty pages, twice',
			[...empty(20), page(['a'], '?page=22'), ...empty(20, 23), page(['b'])],
			['a!', 'b!'],
		],
		['an end after empty pages', [...empty(20), page([])], []],
	])('are complete with %s', async (_what, replies, entries) => {
		expect(await fetchPages(replies).result).toEqual(entries);
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
			`a link to a URL that is not below ${baseUrl} in`,
			1,
		],
		['up from there', [page(['a'], '/api/v1/..%5Cx')], 'a link to a URL that is not below', 1],
		[
			'of more entries',
			[{ body: ['a'], headers: { 'x-total-count': '2' } }],
			'1 entries, but there are more because it has 2 entries, and no link to them, instead of the whole list',
			1,
		],
		[
			'of more pages',
			[page(['a'], '?page=2'), page({ data: ['b'], total: 2, total_pages: 3 })],
			'2 entries, but there are more because it has 3 pages, and',
			2,
		],
		['of more', [page({ data: ['a'], has_more: true })], 'because "has_more" is true, and', 1],
		[
			'without end',
			empty(30),
			'21 pages with a link to a next one instead of a list that ends',
			21,
		],
	])('are an error: %s', async (_what, replies, message, count) => {
		const { result, sent } = fetchPages(replies);
		const error = await errorOf(result);
		expect(error.message).toContain(message);
		expect(error.message).toMatch(/ for the request to list the containers$/);
		expect(sent).toHaveLength(count);
	});

	it.each([
		[1000, 10, 1001, 'more than 1000000 entries instead of a list that the node can handle'],
		[1, 64_000_000, 9, 'more than 512 MB instead of a list that the node can handle'],
		[1, 1, 100_000, '100000 pages with a link to a next one instead of a list that ends'],
	])('of %i entries and %i bytes end after page %i', async (count, size, pages, message) => {
		const { client } = setUpClient([]);
		let fetched = 0;
		client.requestPage = async () => {
			fetched += 1;
			const entries = Array.from({ length: count }, (_value, index) => fetched * count + index);
			const headers = { link: `<?page=${fetched + 1}>; rel="next"` };
			return await Promise.resolve({ entries, headers, size, info: {} });
		};
		const result = fetchAllPages(client, request, Number.POSITIVE_INFINITY, () => undefined);
		expect((await errorOf(result)).message).toContain(message);
		expect(fetched).toBe(pages);
	});
});

describe('the next page of a Link header', () => {
	const current = `${baseUrl}/users/u/containers?page=1`;
	const second = `${baseUrl}/users/u/containers?page=2`;

	it.each([
		['an absolute address', `<${second}>; rel="next"`],
		['no quotes or space', `<${second}>;rel=next`],
		['spaces around the equals sign', `<${second}> ; rel = "next"`],
		['capitals', `<${second}>; REL="NEXT"`],
		['several relations', `<${second}>; rel="last next"`],
		['parameters before', `<${second}>; title="more"; crossorigin; rel="next"`],
		['a parameter after', `<${second}>; rel="next"; title="a, b; c"`],
		['other links before', `<https://x.example/>; rel="prev", <${second}>; rel="next"`],
		['other links after', `<${second}>; rel="next", <https://x.example/>; rel="last"`],
		['a title like one', `<https://x.example/>; title="rel=next", <${second}>; rel="next"`],
		['a query', '<?page=2>; rel="next"'],
		['no scheme', '<//share.example.com/api/v1/users/u/containers?page=2>; rel="next"'],
		['a comma in the address', `<${second}&ids=1,2>; rel="next"`, `${second}&ids=1,2`],
	])('is found with %s', (_form, header, expected = second) => {
		expect(parseNextLink(header, current)).toBe(expected);
	});

	it.each([
		undefined,
		'',
		'<https://x.example/>; rel="prev"',
		`<${second}>; rel="next-archive"`,
		`<${second}>`,
		`<${second}>; title="next"`,
		`<${second}>; xrel="next"`,
		'<https://>; rel="next"',
		`${second}; rel="next"`,
	])('is not %j', (header) => {
		expect(parseNextLink(header, current)).toBeUndefined();
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
			expect(parseNextLink(hostile, current)).toBeUndefined();
		}
		expect(Date.now() - startedAt).toBeLessThan(5_000);
	});
});
