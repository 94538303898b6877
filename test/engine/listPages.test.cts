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

	it.each([
		'https://share.example.com/api/v1/../v2/containers',
		'/api/v10/containers',
		'/admin?x=/api/v1/',
		'/api/v1/%2E%2E/admin',
		'/api/v1/..%2F2',
		'/api/v1/..%5C2',
	])('does not leave the path of the Base URL for %s', async (link) => {
		service
			.scope()
			.get(list)
			.reply(200, { data: [{ uuid: 'c-1' }], next: link });
		const { error } = await getMany();
		expect(error?.message).toMatch(/not below https:\/\/share\.example\.com\/api\/v1 instead of/);
		expect(service.requests).toHaveLength(1);
	});

	it.each(['user@', 'user:pass@', ':pass@'])('does not go to a URL with %s', async (userinfo) => {
		const link = `<https://${userinfo}share.example.com/api/v1/containers?page=2>; rel="next"`;
		service
			.scope()
			.get(list)
			.reply(200, [{ uuid: 'c-1' }], { link });
		const { error } = await getMany();
		expect(error?.message).toMatch(/a link with a user name/);
		expect(service.requests).toHaveLength(1);
	});

	it('ends with an error when there are more than a million entries', async () => {
		const entries = Array.from({ length: 100_000 }, () => 1);
		for (let page = 0; page <= 10; page += 1) {
			const path = page === 0 ? list : `${list}?cursor=${page}`;
			const data = [page, ...entries];
			service
				.scope()
				.get(path)
				.reply(200, { data, next: `?cursor=${page + 1}` });
			if ((page + 1) * data.length > 1_000_000) break;
		}
		const { error } = await getMany();
		expect(error?.message).toMatch(/returned more than 1000000 entries instead of a list/);
		expect(service.requests).toHaveLength(10);
	}, 30_000);

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
