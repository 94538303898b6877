import type { Page } from '../../../../nodes/shared/client/accept';
import type { ServiceClient } from '../../../../nodes/shared/client/client';
import { fetchAllPages } from '../../../../nodes/shared/client/paginate';
import { getErrorMessage } from '../../../../nodes/shared/errors/messages';
import { MAX_KEPT, ResponseMemory } from '../../../../nodes/shared/responses/memory';
import { baseUrl, settle, setUpClient, type Reply } from '../../support/client.cts';

const current = 'https://share.example.com/api/v1/users/u/containers?page=1';

describe('a list without end', () => {
	/** A client whose pages have so many entries and take so much memory, each with a link to the next one. */
	const createClient = (
		count: number,
		pageMemory: number,
		changePage: (page: Page, number: number) => Page = (page) => page,
	) => {
		let pages = 0;
		const memory = new ResponseMemory();
		const client: Partial<ServiceClient> = {
			memory,
			resolveUrl: (path) => (path.startsWith('https://') ? path : `${current}${path}`),
			requestPage: async (_request, use) => {
				pages += 1;
				const entries = Array.from({ length: count }, (_, index) => pages * count + index);
				memory.add(pageMemory);
				const nextUrl = `?page=${pages + 1}`;
				const info = { nextUrl, hints: new Map(), isLast: false, ownUrls: [] };
				return await use(changePage({ entries, memory: pageMemory, info }, pages));
			},
			createError: ({ action }, failure) =>
				new Error(getErrorMessage(failure, { action, origin: current, attempts: 1 }).message),
		};
		Object.defineProperty(client, 'origin', { value: new URL(current).origin });
		return { client: client as ServiceClient, countPages: () => pages, memory };
	};
	const request = { method: 'GET' as const, path: '', action: 'list the containers' };
	const fetchPages = async (client: ServiceClient, limit = Number.POSITIVE_INFINITY) => {
		return await fetchAllPages(client, request, limit, (entry) => entry);
	};

	it('is read up to 250,000 entries', async () => {
		const { client, countPages } = createClient(1000, 10);

		await expect(fetchPages(client)).rejects.toThrow(
			'The service returned more than 250000 entries instead of a list that n8n can handle',
		);
		expect(countPages()).toBe(251);
	});

	it('counts only the memory of the entries that it returns', async () => {
		const { client, memory } = createClient(10, 40_000_000);

		await fetchAllPages(client, request, 15, (entry) => (Number(entry) % 2 ? entry : undefined));
		expect(memory.free).toBe(MAX_KEPT - 60_000_000);
	});

	it('is read for an hour', async () => {
		const { client, countPages } = createClient(1, 1);
		// Each page takes a minute.
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => countPages() * 60_000);

		await expect(fetchPages(client)).rejects.toThrow(
			'61 pages with a link to a next one instead of a list that ends',
		);
		clock.mockRestore();
	});

	it.each<[string, (page: number) => [url: string, entry: number]]>([
		['to itself', (page) => ['?page=2', page]],
		['to a page before', (page) => [`?page=${3 - page}`, page]],
		['to the same entries', (page) => [`?page=${page + 1}`, 0]],
	])('ends where a page links %s', async (_what, getPage) => {
		const { client, countPages } = createClient(1, 1, (page, number) => {
			const [nextUrl, entry] = getPage(number);
			return { ...page, entries: [entry], info: { ...page.info, nextUrl } };
		});

		await expect(fetchPages(client)).rejects.toThrow(
			'a page that was already fetched instead of the next page of the list',
		);
		expect(countPages()).toBeLessThan(4);
	});

	it('is read up to the limit of the user', async () => {
		const { client, countPages } = createClient(10, 1000);

		expect(await fetchPages(client, 25)).toHaveLength(25);
		expect(countPages()).toBe(3);
	});
});

describe('a list over several pages', () => {
	const list = `${baseUrl}/users/u/containers`;
	const page = (entries: unknown[], next?: string, more: object = {}): Reply => ({
		body: { data: entries, ...more },
		headers: next === undefined ? {} : { link: `<${next}>; rel="next"` },
	});
	const fetchFrom = async (replies: Reply[]) => {
		const { client, sent } = setUpClient(replies);
		const path = '/users/u/containers';
		const request = { method: 'GET', path, action: 'list the containers' } as const;
		const entries = await fetchAllPages(client, request, Number.POSITIVE_INFINITY, (one) => one);
		return { entries, urls: sent.map(({ url }) => url) };
	};

	it.each([
		['?page=2', `${list}?page=2`],
		[`${list}?page=2`, `${list}?page=2`],
		['/api/v1/more', 'https://share.example.com/api/v1/more'],
		['http://share.example.com/api/v1/more', 'https://share.example.com/api/v1/more'],
	])('is read by its links: %s', async (link, url) => {
		expect(await fetchFrom([page([1, 2], link), page([3])])).toEqual({
			...{ entries: [1, 2, 3], urls: [list, url] },
		});
	});

	it('can have the same entry twice on a page, and has one that a later page repeats once', async () => {
		const pages = [page([1, 1], '?page=2', { total: 3 }), page([1, 2], undefined, { total: 3 })];
		expect((await fetchFrom(pages)).entries).toEqual([1, 1, 2]);
	});

	it('can have twenty empty pages in a row', async () => {
		const empty = Array<number[]>(20).fill([]);
		const pages = [...empty, [1], ...empty, [2]].map((entries, index, all) =>
			page(entries, index + 1 < all.length ? `?page=${index + 2}` : undefined),
		);
		expect((await fetchFrom(pages)).entries).toEqual([1, 2]);
	});

	const below = 'not below https://share.example.com/api/v1 instead of a link to its own next page';

	it.each<[string, Reply[]]>([
		[below, [page([1], 'https://evil.example/')]],
		[below, [page([1], 'http://evil.example/api/v1/x')]],
		[below, [page([1], '/api/v10/x')]],
		[below, [page([1], 'https://anna@share.example.com/api/v1/x')]],
		[below, [page([1], 'https://:pw@share.example.com/api/v1/x')]],
		[below, [page([1], '/api/v2/x')]],
		[below, [page([1], '/api/v1/a%2Fb')]],
		[below, [page([1], '/api/v1/a%5cb')]],
		[
			'1 entries, but there might be more because "total" is 3, and no link to them, instead of the whole list',
			[page([1], undefined, { total: 3 })],
		],
		// Later pages need not repeat a count.
		[
			'2 entries, but there might be more because "total" is 5',
			[page([1], '?page=2', { total: 5 }), page([2])],
		],
		// An entry went from the second page to the first one, which was read before.
		[
			'2 entries, but there might be more because "total" is 3',
			[page([1], '?page=2', { total: 3 }), page([3], undefined, { total: 2 })],
		],
		// An entry went to the first page, which was read before, and pushed the last one there to the second page.
		[
			'3 entries, but there might be more because "total" is 4',
			[page([1, 2], '?page=2', { total: 4 }), page([2, 3], undefined, { total: 4 })],
		],
		[
			'21 pages with a link to a next one instead of a list that ends',
			Array.from({ length: 21 }, (_, index) => page([], `?page=${index + 2}`)),
		],
	])('is not read where it has %s', async (problem, replies) => {
		await expect(fetchFrom(replies)).rejects.toMatchObject({
			message: expect.stringContaining(problem) as string,
			description: expect.stringContaining('Get Many with a low "Limit"') as string,
		});
	});
});

describe('large responses', () => {
	const list = { method: 'GET', path: '/users/u/containers', action: 'list them' } as const;

	it('keep their turn until what is needed of them is taken', async () => {
		const body = `[${'"x",'.repeat(200_000)}1]`;
		const { client, createClient } = setUpClient([{ body }, { body }]);
		const used: string[] = [];
		const use = (name: string) => async () => {
			used.push(name);
			await settle();
			used.push(name);
		};
		await Promise.all([
			client.requestPage(list, use('first')),
			createClient().requestPage(list, use('second')),
		]);
		expect(used.map((name) => name === used[0])).toEqual([true, true, false, false]);
	});
});
