import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { runNode } from '../../support/engine.cts';
import type { MockedService } from '../../support/nock.cts';
import { inputItemId, sequential, userId } from './parameters.cts';
import { emptyLists, headersOf, listShapes, invalidLists } from './shapes.cts';

/** An operation that lists the records of a user. */
export interface ListOperation {
	resource: 'container' | 'contact';
	/** Path below the user's. */
	path: string;
	/** Entries in all supported forms. */
	entries: IDataObject[];
	/** The key for an entry that is plain text. */
	scalarKey: string;
}

/** What both list operations promise for every response of the service. */
export function describeListContract(service: MockedService, listing: ListOperation): void {
	const { resource, entries, scalarKey } = listing;
	const path = `/users/${userId}/${listing.path}`;
	const base = 'https://share.example.com/api/v1';
	const list = async (
		parameters: INodeParameters = {},
		options: IDataObject = {},
		more: Partial<Parameters<typeof runNode>[0]> = {},
	) =>
		await runNode({
			parameters: {
				resource,
				operation: 'getAll',
				...parameters,
				options: { userId, ...sequential, ...options },
			} as INodeParameters,
			...more,
		});
	const all = { returnAll: true };
	const numbered = (from: number, to: number) =>
		Array.from({ length: to - from + 1 }, (_value, index) => ({ uuid: `c-${from + index}` }));
	const next = (address: string) => ({ link: `<${address}>; rel="next"` });

	describe('a list', () => {
		it.each(listShapes(entries))('returns an item for each entry of $shape', async (shape) => {
			service.scope().get(path).reply(shape.status, shape.body, headersOf(shape));

			const { items, error } = await list(all);

			expect(error).toBeUndefined();
			expect(items).toEqual(
				entries.map((json) => expect.objectContaining({ json, pairedItem: { item: 0 } })),
			);
		});

		it.each(emptyLists)('returns no item for $shape', async (shape) => {
			service.scope().get(path).reply(shape.status, shape.body, headersOf(shape));

			const { items, error } = await list(all);

			expect(error).toBeUndefined();
			expect(items).toEqual([]);
		});

		it.each(invalidLists)('fails when the service responds with $shape', async (shape) => {
			service.scope().get(path).reply(shape.status, shape.body, headersOf(shape));

			const { items, error } = await list(all);

			expect(error?.message).toMatch(shape.message);
			expect(items).toEqual([]);
		});

		it('returns one JSON object for each entry that is not an object', async () => {
			service
				.scope()
				.get(path)
				.reply(200, ['text', 17, true, [1], null, {}]);

			const { items } = await list(all);

			expect(items.map(({ json }) => json)).toEqual([
				{ [scalarKey]: 'text' },
				{ [scalarKey]: '17' },
				{ value: true },
				{ value: [1] },
				{},
			]);
		});

		it('links every item to its input: one to many, many to many, none for an empty list', async () => {
			service.scope().get(path).query({ of: 'a' }).reply(200, entries);
			service.scope().get(path).query({ of: 'b' }).reply(200, []);
			service.scope().get(path).query({ of: 'c' }).reply(200, entries);

			const { items, next: inputs } = await list(
				all,
				{ query: { parameters: [{ name: 'of', value: '={{ $json.id }}' }] } },
				{ items: ['a', 'b', 'c'].map((id) => ({ json: { id } })), next: inputItemId },
			);

			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
				...entries.map(() => ({ item: 0 })),
				...entries.map(() => ({ item: 2 })),
			]);
			expect(inputs).toEqual([
				...entries.map(() => ({ id: 'a' })),
				...entries.map(() => ({ id: 'c' })),
			]);
		});

		it('with entries that are too many for n8n fails, and says what to do', async () => {
			service
				.scope()
				.get(path)
				.reply(200, `[${'{},'.repeat(100_000)}{}]`);

			const { error } = await list(all);

			expect(error?.message).toMatch(
				/list has 100001 entries, but n8n can handle at most 100000 for each input item \[item 0\]/,
			);
			expect(error?.description).toMatch(
				/^Turn off "Return All" and set "Limit" to at most 100000/,
			);
		});

		it('with as many entries as n8n can handle returns them', async () => {
			service
				.scope()
				.get(path)
				.reply(200, `[${'{},'.repeat(99_999)}{}]`);

			expect((await list(all)).items).toHaveLength(100_000);
		});
	});

	describe('the limit', () => {
		it.each([
			['50 unless it is set', {}, 50],
			['the entered number', { limit: 3 }, 3],
			['the result of an expression', { limit: '={{ "7" }}' }, 7],
			['ignored with Return All', { ...all, limit: 3 }, 60],
		])('is %s', async (_what, parameters, expected) => {
			service.scope().get(path).reply(200, numbered(1, 60));

			const { items } = await list(parameters);

			expect(items.map(({ json }) => json)).toEqual(numbered(1, expected));
		});

		it('does not count null entries', async () => {
			service
				.scope()
				.get(path)
				.reply(200, [null, { uuid: 'c-1' }, null, { uuid: 'c-2' }]);

			const { items } = await list({ limit: 2 });

			expect(items.map(({ json }) => json)).toEqual(numbered(1, 2));
		});

		it.each([0, -1, 1.5, 'many', ''])(
			'of %j is rejected before anything is sent',
			async (limit) => {
				const { error } = await list({ limit });

				expect(error?.message).toMatch(/"Limit" must be a whole number, 1 or more \[item 0\]/);
				expect(service.requests).toEqual([]);
			},
		);
	});

	describe('the query', () => {
		it('is added encoded, in order, with repeated names, without nameless rows', async () => {
			service.scope().get(`${path}?sort=name&tag=a%26b%3Dc&tag=%C3%BC+%23`).reply(200, []);

			const { error } = await list(all, {
				query: {
					parameters: [
						{ name: ' sort ', value: 'name' },
						{ name: '', value: 'ignored' },
						{ name: 'tag', value: 'a&b=c' },
						{ name: 'tag', value: 'ü #' },
					],
				},
			});

			expect(error).toBeUndefined();
			expect(service.requests[0].path).toBe(
				`/api/v1${path}?sort=name&tag=a%26b%3Dc&tag=%C3%BC+%23`,
			);
		});

		it('can have a row without a name or value', async () => {
			service.scope().get(`${path}?all=`).reply(200, []);

			const { error } = await list(all, {
				query: { parameters: [{ name: 'all' }, { value: 'ignored' }] },
			});

			expect(error).toBeUndefined();
		});
	});

	describe('pages', () => {
		it.each([
			['absolute', `${base}${path}?page=2`],
			['a path', `/api/v1${path}?page=2`],
			['a query', '?page=2'],
		])('are followed to the end with Return All: the link is %s', async (_form, address) => {
			service.scope().get(path).reply(200, numbered(1, 2), next(address));
			service
				.scope()
				.get(`${path}?page=2`)
				.reply(200, { items: numbered(3, 4) }, next('?page=3'));
			service.scope().get(`${path}?page=3`).reply(200, numbered(5, 5), {
				link: '<?page=1>; rel="first", <?page=2>; rel="prev"',
			});

			const { items, error } = await list(all);

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual(numbered(1, 5));
			for (const { headers } of service.requests) expect(headers.authorization).toMatch(/^Bearer /);
		});

		it.each([
			[1, 1],
			[2, 1],
			[3, 2],
			[4, 2],
			[5, 3],
		])('are fetched only as needed for %i entries: %i', async (limit, pages) => {
			service.scope().get(path).reply(200, numbered(1, 2), next('?page=2'));
			if (pages > 1) {
				service.scope().get(`${path}?page=2`).reply(200, numbered(3, 4), next('?page=3'));
			}
			if (pages > 2) service.scope().get(`${path}?page=3`).reply(200, numbered(5, 6));

			const { items } = await list({ limit });

			expect(items.map(({ json }) => json)).toEqual(numbered(1, limit));
			expect(service.requests).toHaveLength(pages);
		});

		it('beyond the limit are ignored, wherever they are', async () => {
			service
				.scope()
				.get(path)
				.reply(200, numbered(1, 2), next('https://elsewhere.example.com/page/2'));

			const { items, error } = await list({ limit: 2 });

			expect(error).toBeUndefined();
			expect(items).toHaveLength(2);
		});

		it.each([
			['the same URL', () => next(`${base}${path}`), []],
			['another URL with the same entries', () => next('?page=2'), ['?page=2']],
		])('that repeat end the list with an error: %s', async (_how, link, pages) => {
			service.scope().get(path).reply(200, numbered(1, 2), link());
			for (const page of pages) {
				service.scope().get(`${path}${page}`).reply(200, numbered(1, 2), next('?page=3'));
			}

			const { error, items } = await list(all);

			expect(error?.message).toMatch(/a page that was already fetched/);
			expect(items).toEqual([]);
		});

		it.each([
			'https://elsewhere.example.com/api/v1/next',
			'https://share.example.com:8443/api/v1/next',
			'//elsewhere.example.com/next',
		])('on another origin are not fetched, and end the list with an error: %s', async (address) => {
			service.scope().get(path).reply(200, numbered(1, 2), next(address));

			const { error } = await list(all);

			expect(error?.message).toContain(new URL(address, base).origin);
			expect(error?.message).toMatch(/API key is not sent/);
			expect(service.requests).toHaveLength(1);
		});

		it('that fail, fail the list', async () => {
			service.scope().get(path).reply(200, numbered(1, 2), next('?page=2'));
			service.scope().get(`${path}?page=2`).reply(500, { message: 'Words of the service' });

			const { error, items } = await list(all);

			expect(error?.description).toContain('Words of the service');
			expect(items).toEqual([]);
		});
	});

	it('a list of 50 MB or with hostile keys does no harm', async () => {
		const entry = `{"uuid":"c-1","__proto__":{"admin":true},"constructor":{"prototype":{"admin":1}},"x":"${'x'.repeat(1_000_000)}"}`;
		service
			.scope()
			.get(path)
			.reply(200, `[${Array.from({ length: 50 }, () => entry).join(',')}]`);

		const { items, error } = await list(all);

		expect(error).toBeUndefined();
		expect(items).toHaveLength(50);
		expect(Object.keys(items[0].json)).toEqual(['uuid', 'constructor', 'x']);
		expect(({} as { admin?: boolean }).admin).toBeUndefined();
	}, 30_000);
}
