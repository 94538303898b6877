import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { userId } from './support/parameters.cts';

const service = mockService();
const list = `/users/${userId}/containers`;
const next = `https://share.example.com/api/v1${list}?page=2`;

const getMany = async (parameters: object = { returnAll: true }) =>
	await runNode({
		parameters: {
			resource: 'container',
			operation: 'getAll',
			options: { userId, maxRetries: 0 },
			...parameters,
		},
	});

describe('a list over several pages', () => {
	it.each([
		['next', { next }],
		['next_page_url', { next_page_url: next }],
		['links.next', { links: { next } }],
		['_links.next.href', { _links: { next: { href: next } } }],
		['meta.pagination.links.next', { meta: { pagination: { total_pages: 2, links: { next } } } }],
		['a relative next', { next: '?page=2' }],
	])('follows %s in the body', async (_form, link) => {
		service
			.scope()
			.get(list)
			.reply(200, { results: [{ uuid: 'c-1' }], ...link });
		service
			.scope()
			.get(`${list}?page=2`)
			.reply(200, { results: [{ uuid: 'c-2' }], next: null });

		const { items } = await getMany();

		expect(items.map(({ json }) => json.uuid)).toEqual(['c-1', 'c-2']);
	});

	it('is complete on the last of its pages', async () => {
		const pages = (page: number) => ({ total: 2, total_pages: 2, page });
		service
			.scope()
			.get(list)
			.reply(200, { data: { items: [{ uuid: 'c-1' }], next: '?page=2', ...pages(1) } });
		service
			.scope()
			.get(`${list}?page=2`)
			.reply(200, { data: { items: [{ uuid: 'c-2' }], next: null, ...pages(2) } });

		const { items, error } = await getMany();

		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
	});

	it.each(['content', 'records', 'value'])('is found under %s', async (key) => {
		service
			.scope()
			.get(list)
			.reply(200, { [key]: [{ uuid: 'c-1' }] });
		expect((await getMany()).items).toHaveLength(1);
	});

	it('is found under _embedded', async () => {
		service
			.scope()
			.get(list)
			.reply(200, { _embedded: { containers: [{ uuid: 'c-1' }] } });
		expect((await getMany()).items).toHaveLength(1);
	});

	it.each([
		[{ data: [{ uuid: 'c-1' }], nextPageToken: 'x' }, {}],
		[{ data: [{ uuid: 'c-1' }], next_cursor: 'x', has_more: true }, {}],
		[{ data: [{ uuid: 'c-1' }], total: 2 }, {}],
		[[{ uuid: 'c-1' }], { 'x-total-count': '2' }],
		[{ data: { containers: [{ uuid: 'c-1' }], total: 2 } }, {}],
		[{ data: [{ uuid: 'c-1' }], meta: { pagination: { total: 2 } } }, {}],
		[{ data: [{ uuid: 'c-1' }], page: 1, total_pages: 2 }, {}],
	])(
		"is an error, not the first page, where the rest can't be fetched: %j",
		async (body, headers) => {
			service.scope().get(list).reply(200, body, headers);

			const { items, error } = await getMany();

			expect(items).toEqual([]);
			expect(error?.message).toMatch(/1 entries, but there are more/);
		},
	);

	it('is not complete, and need not be, where the limit is reached', async () => {
		service
			.scope()
			.get(list)
			.reply(200, { data: [{ uuid: 'c-1' }, { uuid: 'c-2' }], total: 7 });

		const { items, error } = await getMany({ returnAll: false, limit: 2 });

		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
	});

	it('does not go to another origin', async () => {
		service
			.scope()
			.get(list)
			.reply(200, { data: [{ uuid: 'c-1' }], next: 'https://evil.example.com/x' });
		expect((await getMany()).error?.message).toMatch(/evil\.example\.com/);
	});

	it('ends with an error when empty pages go on and on', async () => {
		for (let page = 1; page <= 21; page += 1) {
			service
				.scope()
				.get(page === 1 ? list : `${list}?cursor=${page}`)
				.reply(200, { data: [], next: `?cursor=${page + 1}` });
		}
		const { error } = await getMany();
		expect(error?.message).toMatch(/pages with a link to a next one/);
		expect(service.requests).toHaveLength(21);
	});
});
