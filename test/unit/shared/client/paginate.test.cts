import type { Page, ServiceClient } from '../../../../nodes/shared/client/client';
import { fetchAllPages } from '../../../../nodes/shared/client/paginate';
import { getErrorMessage } from '../../../../nodes/shared/errors/messages';

const current = 'https://share.example.com/api/v1/users/u/containers?page=1';

describe('a list without end', () => {
	/** A client whose pages have so many entries and bytes, each with a link to the next one. */
	const createClient = (count: number, size: number) => {
		let pages = 0;
		const client: Partial<ServiceClient> = {
			resolveUrl: (path) => (path.startsWith('https://') ? path : `${current}${path}`),
			requestPage: async (): Promise<Page> => {
				pages += 1;
				const entries = Array.from({ length: count }, (_, index) => pages * count + index);
				const headers = { link: `<?page=${pages + 1}>; rel="next"` };
				return await Promise.resolve({ entries, headers, size, info: {} });
			},
			createError: ({ action }, failure) =>
				new Error(getErrorMessage(failure, { action, origin: current, attempts: 1 }).message),
		};
		Object.defineProperty(client, 'origin', { value: new URL(current).origin });
		return { client: client as ServiceClient, countPages: () => pages };
	};
	const request = { method: 'GET' as const, path: '', action: 'list the containers' };

	it.each([
		['1000000 entries', 1000, 10, 1001],
		['512 MB', 1, 64_000_000, 9],
	])('is read up to %s', async (limit, count, size, pages) => {
		const { client, countPages } = createClient(count, size);

		await expect(
			fetchAllPages(client, request, Number.POSITIVE_INFINITY, (entry) => entry),
		).rejects.toThrow(
			`The service returned more than ${limit} instead of a list that the node can handle`,
		);
		expect(countPages()).toBe(pages);
	});

	it('is read up to 100,000 pages', async () => {
		const { client, countPages } = createClient(1, 1);

		await expect(
			fetchAllPages(client, request, Number.POSITIVE_INFINITY, (entry) => entry),
		).rejects.toThrow('100000 pages with a link to a next one instead of a list that ends');
		expect(countPages()).toBe(100_000);
	});

	it('is read up to the limit of the user', async () => {
		const { client, countPages } = createClient(10, 1000);

		expect(await fetchAllPages(client, request, 25, (entry) => entry)).toHaveLength(25);
		expect(countPages()).toBe(3);
	});
});
