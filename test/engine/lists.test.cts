import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import {
	contactsPath,
	containersPath as path,
	expectRefusal,
	inputItemId,
	itemsWith,
	operation,
	outputOf,
} from './support/operations.cts';
import { emptyLists, invalidLists, listShapes } from './support/shapes.cts';

const service = mockService();
const base = 'https://share.example.com/api/v1';
const all = { returnAll: true };

const list = operation('container: getAll');
const numbered = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_value, index) => ({ uuid: `c-${from + index}` }));
const next = (address: string) => ({ link: `<${address}>; rel="next"` });
const query = (...parameters: IDataObject[]) => ({ query: { parameters } });

const entries = [
	{ org_id: 'user-1', container: { uuid: 'c-1', name: 'Envelope' } },
	{ uuid: 'c-2', name: 'Plain' },
	{ id: 3, name: null, nested: { a: [1, { b: null }] } },
];

describe('a list', () => {
	it.each(listShapes(entries))('returns an item for each entry of $shape', async ({ reply }) => {
		service.get(path).reply(...reply);

		const { items, error } = await list(all);

		expect(error).toBeUndefined();
		expect(items).toEqual(
			entries.map((json) => expect.objectContaining({ json, pairedItem: { item: 0 } })),
		);
	});

	it.each(emptyLists)('returns no item for $shape', async ({ reply }) => {
		service.get(path).reply(...reply);

		expect(await outputOf(list(all))).toEqual([]);
	});

	it.each(invalidLists)('fails when the service responds with $shape', async (shape) => {
		service.get(path).reply(...shape.reply);

		const { items, error } = await list(all);

		expect(error?.message).toMatch(shape.message);
		expect(items).toEqual([]);
	});

	it.each([
		['container', path, 'uuid'],
		['contact', contactsPath, 'email'],
	])('of %ss has a JSON object for each entry that is not one', async (resource, url, key) => {
		service.get(url).reply(200, ['text', 17, true, [1], null, {}]);

		expect(await outputOf(operation(`${resource}: getAll`)(all))).toEqual([
			{ [key]: 'text' },
			{ [key]: '17' },
			{ value: true },
			{ value: [1] },
			{},
		]);
	});

	it('links every item to its input: one to many, many to many, none for an empty list', async () => {
		for (const part of ['a', 'b', 'c']) {
			service
				.get(path)
				.query({ of: part })
				.reply(200, part === 'b' ? [] : entries);
		}

		const { items, next: inputs } = await list(
			all,
			query({ name: 'of', value: '={{ $json.id }}' }),
			{ items: itemsWith('a', 'b', 'c'), next: inputItemId },
		);

		const links = [0, 0, 0, 2, 2, 2];
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(links.map((item) => ({ item })));
		expect(inputs).toEqual(links.map((item) => ({ id: 'abc'[item] })));
	});

	it('fails with more entries than n8n can handle, and says what to do', async () => {
		const bodyOf = (count: number) => `[${'{},'.repeat(count - 1)}{}]`;
		service.get(path).reply(200, bodyOf(100_000));
		expect(await outputOf(list(all))).toHaveLength(100_000);
		service.get(path).reply(200, bodyOf(100_001));

		const { error } = await list(all);

		expect(error?.message).toMatch(
			/list has 100001 entries, but n8n can handle at most 100000 for each input item \[item 0\]/,
		);
		expect(error?.description).toMatch(/^Turn off "Return All" and set "Limit" to at most 100000/);
	});
});

describe('the limit', () => {
	it.each([
		['50 unless it is set', {}, 50],
		['the entered number', { limit: 3 }, 3],
		['a number in text', { returnAll: '={{ "False" }}', limit: '={{ "7" }}' }, 7],
		['ignored with Return All', { ...all, limit: 3 }, 60],
		['ignored with Return All in text', { returnAll: '={{ "true" }}', limit: 1 }, 60],
	])('is %s', async (_what, parameters, expected) => {
		service.get(path).reply(200, numbered(1, 60));

		expect(await outputOf(list(parameters))).toEqual(numbered(1, expected));
	});

	it('does not count null entries', async () => {
		service.get(path).reply(200, [null, { uuid: 'c-1' }, null, { uuid: 'c-2' }]);

		expect(await outputOf(list({ limit: 2 }))).toEqual(numbered(1, 2));
	});

	it('needs no whole list where it is reached', async () => {
		service.get(path).reply(200, { data: numbered(1, 2), total: 7 });

		expect(await outputOf(list({ limit: 2 }))).toHaveLength(2);
	});

	it.each<[string, IDataObject, string]>([
		['no number', { limit: 0 }, '"Limit" must be a whole number, 1 or more'],
		['nothing', { limit: '={{ undefined }}' }, '"Limit" must be a whole number'],
		['no switch', { returnAll: '={{ "no" }}' }, '"Return All" must be true or false'],
	])('is refused before anything is sent: %s', async (_what, parameters, message) => {
		await expectRefusal(service, list(parameters), message);
	});
});

describe('the query', () => {
	it('is added encoded, in order, with repeated names, without nameless rows', async () => {
		const sent = `${path}?sort=name&tag=a%26b%3Dc&tag=%C3%BC+%23&all=`;
		service.get(sent).reply(200, []);

		await outputOf(
			list(
				all,
				query(
					{ name: ' sort ', value: 'name' },
					{ name: '', value: 'ignored' },
					{ name: 'tag', value: 'a&b=c' },
					{ name: 'tag', value: 'ü #' },
					{ value: 'ignored' },
					{ name: 'all' },
				),
			),
		);

		expect(service.requests[0].path).toBe(`/api/v1${sent}`);
	});

	it.each([
		['no value', { name: 'sort', value: '={{ $json.missing }}' }, 'Value" is empty'],
		['an object', { name: 'sort', value: '={{ {} }}' }, 'Value" is not text'],
		['no name', { name: '={{ $json.missing }}', value: 'name' }, 'Name" is empty'],
	])('is refused before anything is sent: %s', async (_what, row, message) => {
		await expectRefusal(service, list(all, query(row)), `"Query Parameters > ${message}`);
	});
});

describe('pages', () => {
	it.each([
		['an absolute link', `${base}${path}?page=2`],
		['a path', `/api/v1${path}?page=2`],
		['a query', '?page=2'],
	])('are followed to the end with Return All: %s', async (_form, address) => {
		service.get(path).reply(200, numbered(1, 2), next(address));
		service.get(`${path}?page=2`).reply(200, { items: numbered(3, 4) }, next('?page=3'));
		service.get(`${path}?page=3`).reply(200, numbered(5, 5), {
			link: '<?page=1>; rel="first", <?page=2>; rel="prev"',
		});

		expect(await outputOf(list(all))).toEqual(numbered(1, 5));

		for (const { headers } of service.requests) expect(headers.authorization).toMatch(/^Bearer /);
	});

	it.each([
		[2, 1],
		[3, 2],
		[5, 3],
	])('are fetched only as needed for %i entries: %i', async (limit, pages) => {
		service.get(path).reply(200, numbered(1, 2), next('?page=2'));
		if (pages > 1) service.get(`${path}?page=2`).reply(200, numbered(3, 4), next('?page=3'));
		if (pages > 2) service.get(`${path}?page=3`).reply(200, numbered(5, 6));

		expect(await outputOf(list({ limit }))).toEqual(numbered(1, limit));

		expect(service.requests).toHaveLength(pages);
	});

	it.each([
		...['https://elsewhere.example.com/api/v1/next', '//elsewhere.example.com/next'],
		...['https://share.example.com:8443/api/v1/next', `${base}/../v2/containers`],
		...['/api/v10/containers', '/admin?x=/api/v1/', '/api/v1/%2E%2E/admin', '/api/v1/..%2F2'],
	])('elsewhere are not fetched, and end the list with an error: %s', async (link) => {
		service.get(path).reply(200, { data: numbered(1, 2), next: link });

		expect((await list(all)).error?.message).toMatch(/not below https/);
		expect(service.requests).toHaveLength(1);
	});

	it('that fail, fail the list', async () => {
		service.get(path).reply(200, numbered(1, 2), next('?page=2'));
		service.get(`${path}?page=2`).reply(500, { message: 'Words of the service' });

		const { error, items } = await list(all);

		expect(error?.description).toContain('Words of the service');
		expect(items).toEqual([]);
	});
});
