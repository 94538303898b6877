import { CONTACT_LIST, CONTAINER_LIST, fetchEntries } from '../../../../nodes/shared/api/lists';
import { baseUrl, errorOf, setUpClient, type Reply } from '../../support/client.cts';

const list = `${baseUrl}/users/u/containers`;

const page = (ids: number[], next?: string, more: object = {}): Reply => ({
	body: { data: ids.map((id) => ({ id })), ...more },
	headers: next === undefined ? {} : { link: `<${next}>; rel="next"` },
});

const fetchFrom = async (
	replies: Reply[],
	options: Parameters<typeof fetchEntries>[3] = {},
	definition = CONTAINER_LIST,
) => {
	const { client, sent } = setUpClient(replies);
	const entries = await fetchEntries(client, definition, 'u', options);
	return { entries, ids: entries.map(({ id }) => id).join(), urls: sent.map(({ url }) => url) };
};

it.each([
	[CONTAINER_LIST, list, { uuid: 'c-1', name: 'One' }, { id: 'c-1', name: 'One' }],
	[CONTACT_LIST, `${baseUrl}/users/u/contacts`, { email: 'a@x', id: 7 }, { id: 'a@x' }],
])(
	'a list has its path, and entries with identifiers: $segments',
	async (definition, url, ...row) => {
		const [record, identity] = row;
		const { entries, urls } = await fetchFrom([{ body: [record, null] }], {}, definition);
		expect(entries).toEqual([{ name: undefined, ...(identity as object), record }]);
		expect(urls).toEqual([url]);
		const error = await errorOf(fetchFrom([{ status: 403 }], {}, definition));
		expect(error.message).toContain(`list the ${definition.segments[0]}`);
	},
);

it.each([
	['?page=2', `${list}?page=2`],
	['users/u/containers?page=2', `${list}?page=2`],
	['/users/u/containers?page=2', `${list}?page=2`],
	['/api/v1/users/u/containers?page=2', `${list}?page=2`],
	['/api/v1/more', `${baseUrl}/more`],
	['/more', `${baseUrl}/more`],
	[`${list}?page=2`, `${list}?page=2`],
	['http://share.example.com/api/v1/more', `${baseUrl}/more`],
	['https://share.example.com/api/v2/more', 'https://share.example.com/api/v2/more'],
	['https://anna:pw@share.example.com/api/v1/more', `${baseUrl}/more`],
])('a list over several pages is read by its links: %s', async (link, url) => {
	expect(await fetchFrom([page([1, 2], link), page([3])])).toMatchObject({
		...{ ids: '1,2,3', urls: [list, url] },
	});
});

it('is limited to the matching records, over several pages', async () => {
	const replies = [page([1, 12], '?page=2'), page([2, 3], '?page=3')];
	const query: Array<[string, string]> = [
		['q', 'a b'],
		['sort', '-x'],
	];
	const matches = ({ id }: { id?: unknown }) => Number(id) < 10;
	expect(await fetchFrom(replies, { query, limit: 2, matches })).toMatchObject({
		...{ ids: '1,2', urls: [`${list}?q=a+b&sort=-x`, `${list}?page=2`] },
	});
});

it('can have an entry twice on a page, and has one that a later page repeats once', async () => {
	const pages = [page([1, 1], '?page=2', { total: 3 }), page([1, 2], undefined, { total: 4 })];
	expect((await fetchFrom(pages)).ids).toBe('1,1,2');
});

const elsewhere = 'instead of a link to its next page on https://share.example.com';
const pagesOf = (count: number, ids: number[]) =>
	Array.from({ length: count }, (_, index) => page(ids, `?page=${index + 2}`));

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
	// An entry is shown twice, whatever else changed in it, and another one not at all.
	[
		'2 entries, but there might be more because "total" is 3',
		[page([1, 2], '?page=2', { total: 3 }), { body: [{ id: 2, seen: true }] }],
	],
	['21 pages without a new entry instead of a list that ends', pagesOf(21, [])],
	['21 pages without a new entry instead of a list that ends', pagesOf(22, [1])],
])('is not read where it has %s', async (problem, replies) => {
	await expect(fetchFrom(replies)).rejects.toMatchObject({
		message: expect.stringContaining(problem) as string,
		description: expect.stringContaining('Get Many with a low "Limit"') as string,
	});
});

it('can be enough in part', async () => {
	const acceptRest = jest.fn(() => true);
	const { ids } = await fetchFrom([page([1], undefined, { total: 3 })], { limit: 5, acceptRest });
	expect([ids, acceptRest.mock.calls]).toEqual(['1', [['"total" is 3']]]);
});

it.each([{ name: 'Two' }, 'c-2'])('is an error with an entry like %j', async (entry) => {
	expect((await errorOf(fetchFrom([{ body: [{ uuid: 'c-1' }, entry] }]))).message).toBe(
		'The service returned a list with an entry without an identifier instead of containers with a uuid for the request to list the containers',
	);
});
