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
		[
			'_links.next.href, in plain HTTP',
			{ _links: { next: { href: next.replace('https', 'http') } } },
		],
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

	it.each([
		[{ data: [{ uuid: 'c-1' }], nextPageToken: 'x' }, {}],
		[[{ uuid: 'c-1' }], { 'x-total-count': '2' }],
		[{ data: { containers: [{ uuid: 'c-1' }], meta: { pagination: { pages: 2 } } } }, {}],
	])(
		"is an error, not the first page, where the rest can't be fetched: %j",
		async (body, headers) => {
			service.scope().get(list).reply(200, body, headers);

			const { items, error } = await getMany();

			expect(items).toEqual([]);
			expect(error?.message).toMatch(/1 entries, but there might be more/);
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

	it('that is partial content is an error', async () => {
		service
			.scope()
			.get(list)
			.reply(206, [{ uuid: 'c-1' }], { 'content-range': 'items 0-0/7' });
		expect((await getMany()).error?.message).toMatch(/"content-range" is "items 0-0\/7"/);
	});

	it('ends with an error when a page is a bomb', async () => {
		service
			.scope()
			.get(list)
			.reply(200, `[${'{},'.repeat(10_000_000)}{}]`);
		const { error } = await getMany();
		expect(error?.message).toMatch(/instead of data that n8n can handle/);
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
