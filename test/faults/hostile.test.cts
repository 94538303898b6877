import { runNode } from '../support/engine.cts';
import { startTrustedSandbox, type TrustedSandbox } from './support/service.cts';

const TIMEOUT = 300_000;
const LIST = { resource: 'container', operation: 'getAll', returnAll: true };

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrustedSandbox();
}, TIMEOUT);

afterEach(() => service.sandbox.reset());

afterAll(async () => await service.stop());

describe('Return All', () => {
	it(
		"explains that a list is longer than n8n's limit",
		async () => {
			service.sandbox.faults.add({ kind: 'hostile', body: 'hugeList' });

			const { error, items } = await service.run(LIST);

			expect(items).toEqual([]);
			expect(error?.message).toMatch(/^The list has 500000 entries/);
			expect(error?.description).toMatch(/"Limit" to at most 100000/);
		},
		TIMEOUT,
	);

	it(
		'returns 100,000 entries',
		async () => {
			const entries = Array.from({ length: 100_000 }, (_, index) => ({ uuid: `${index}` }));
			service.sandbox.faults.add({ kind: 'body', body: JSON.stringify(entries) });

			const { error, items } = await service.run(LIST);

			expect(error?.message).toBeUndefined();
			expect(items).toHaveLength(100_000);
		},
		TIMEOUT,
	);

	it(
		'returns an entry of 50 MB',
		async () => {
			service.sandbox.faults.add({ kind: 'hostile', body: 'huge' });

			const { error, items } = await service.run(LIST);

			expect(error?.message).toBeUndefined();
			expect((items[0].json.name as string).length).toBe(50 * 1024 * 1024);
		},
		TIMEOUT,
	);

	it('fails when the pages repeat', async () => {
		Object.assign(service.sandbox.settings, { pageSize: 1, nextLink: 'repeat' });
		service.sandbox.addContainer();
		service.sandbox.addContainer();

		const { error } = await service.run(LIST);

		expect(error?.message).toMatch(/a page that was already fetched/);
		expect(service.sandbox.requests.length).toBeLessThanOrEqual(2);
	});
});

describe('the entries of a list', () => {
	it.each<[string, unknown[], unknown[]]>([
		['null', [null, { uuid: '1' }, null], [{ uuid: '1' }]],
		['plain identifiers', ['a', 7], [{ uuid: 'a' }, { uuid: '7' }]],
		['lists and booleans', [[1], true], [{ value: [1] }, { value: true }]],
		['nothing', [], []],
	])('become one object each: %s', async (_what, entries, expected) => {
		service.sandbox.faults.add({ kind: 'body', body: JSON.stringify(entries) });

		const { items } = await service.run(LIST);

		expect(items.map(({ json }) => json)).toEqual(expected);
	});

	it('lose keys of the prototype', async () => {
		service.sandbox.faults.add({ kind: 'hostile', body: 'protoList' });

		const { items } = await service.run(LIST);

		expect(items.map(({ json }) => json)).toEqual([{ uuid: '1', email: 'a@example.com' }]);
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
	});
});

describe('an invalid user', () => {
	it.each(['{"id":{}}', '{"id":""}', '{"id":null}', '{"id":".."}', '{"id":"a/../b"}'])(
		'stops the operation before any other request: %s',
		async (body) => {
			service.sandbox.users.push({ ...service.sandbox.user, apiKey: `key-of-${body.length}-none` });
			service.sandbox.faults.add({ kind: 'body', body, path: /\/me$/ });

			const { error } = await runNode({
				parameters: { resource: 'contact', operation: 'getAll' },
				credentials: { baseUrl: service.sandbox.url, apiKey: `key-of-${body.length}-none` },
			});

			expect(error?.message).toBeDefined();
			for (const { path } of service.sandbox.requests) {
				expect(path).toMatch(/^\/api\/v1\/(me|users\/[^/]+\/contacts)$/);
			}
		},
	);
});
