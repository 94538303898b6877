import { fetchAllPages } from '../../../../nodes/shared/client/paginate';
import { baseUrl, setUpClient, type Reply } from '../../support/client.cts';

const list = `${baseUrl}/users/u/containers`;
const path = '/users/u/containers';
const request = { method: 'GET', path, action: 'list the containers' } as const;

const page = (ids: number[], next?: string, more: object = {}): Reply => ({
	body: { data: ids.map((id) => ({ id })), ...more },
	headers: next === undefined ? {} : { link: `<${next}>; rel="next"` },
});

const toId = (entry: unknown) => (entry as { id: number }).id;

const fetchFrom = async (replies: Reply[], limit = Number.POSITIVE_INFINITY, more: object = {}) => {
	const { client, sent } = setUpClient(replies);
	const ids = await fetchAllPages(client, { ...request, ...more }, limit, toId);
	return { ids, urls: sent.map(({ url }) => url) };
};

describe('a list over several pages', () => {
	it.each([
		['?page=2', `${list}?page=2`],
		['containers?page=2', `${list}?page=2`],
		['users/u/containers?page=2', `${list}?page=2`],
		['/users/u/containers?page=2', `${list}?page=2`],
		['/api/v1/users/u/containers?page=2', `${list}?page=2`],
		['/api/v1/more', `${baseUrl}/more`],
		['/more', `${baseUrl}/more`],
		[`${list}?page=2`, `${list}?page=2`],
		['http://share.example.com/api/v1/more', `${baseUrl}/more`],
		['https://share.example.com/api/v2/more', 'https://share.example.com/api/v2/more'],
		['https://anna:pw@share.example.com/api/v1/more', `${baseUrl}/more`],
	])('is read by its links: %s', async (link, url) => {
		const reading = fetchFrom([page([1, 2], link), page([3])]);
		expect(await reading).toEqual({ ids: [1, 2, 3], urls: [list, url] });
	});

	it('is read up to the limit of the user', async () => {
		expect((await fetchFrom([page([1, 2], '?page=2'), page([3, 4], '?page=3')], 3)).ids).toEqual([
			...[1, 2, 3],
		]);
	});

	it('can have an entry twice on a page, and has one that a later page repeats once', async () => {
		const pages = [page([1, 1], '?page=2', { total: 3 }), page([1, 2], undefined, { total: 4 })];
		expect((await fetchFrom(pages)).ids).toEqual([1, 1, 2]);
	});

	it('can have twenty empty pages in a row', async () => {
		const empty = Array<number[]>(20).fill([]);
		const pages = [...empty, [1], ...empty, [2]].map((ids, index, all) =>
			page(ids, index + 1 < all.length ? `?page=${index + 2}` : undefined),
		);
		expect((await fetchFrom(pages)).ids).toEqual([1, 2]);
	});

	const elsewhere = 'instead of a link to its next page on https://share.example.com';

	it.each<[string, Reply[]]>([
		[elsewhere, [page([1], 'https://evil.example/')]],
		[elsewhere, [page([1], '//evil.example/api/v1/users/u/containers')]],
		[elsewhere, [page([1], 'https://share.example.com:8443/api/v1/x')]],
		[elsewhere, [page([1], 'https://[')]],
		['because "total" is 3', [page([1], undefined, { total: 3 })]],
		['because "has_more" is true', [page([1], undefined, { has_more: true })]],
		['because "nextCursor" is "x"', [page([1], undefined, { meta: { nextCursor: 'x' } })]],
		// Later pages need not repeat a count.
		['2 entries, but there might be more', [page([1], '?page=2', { total: 5 }), page([2])]],
		// An entry went from the second page to the first one, which was read before.
		[
			'2 entries, but there might be more because "total" is 3',
			[page([1], '?page=2', { total: 3 }), page([3], undefined, { total: 2 })],
		],
		[
			'21 pages without a new entry instead of a list that ends',
			Array.from({ length: 21 }, (_, index) => page([], `?page=${index + 2}`)),
		],
		[
			'21 pages without a new entry instead of a list that ends',
			Array.from({ length: 22 }, (_, index) => page([1], `?page=${index + 2}`)),
		],
	])('is not read where it has %s', async (problem, replies) => {
		await expect(fetchFrom(replies)).rejects.toMatchObject({
			message: expect.stringContaining(problem) as string,
			description: expect.stringContaining('Get Many with a low "Limit"') as string,
		});
	});

	it('can be enough in part', async () => {
		const acceptRest = jest.fn(() => true);
		const { ids } = await fetchFrom([page([1], undefined, { total: 3 })], 5, { acceptRest });
		expect([ids, acceptRest.mock.calls]).toEqual([[1], [['"total" is 3']]]);
	});
});
