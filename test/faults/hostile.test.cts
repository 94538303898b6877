import { runNode } from '../support/engine.cts';
import { startTrusted, type TrustedSandbox } from './support/service.cts';

const PATIENCE = 300_000;
const LIST = { resource: 'container', operation: 'getAll', returnAll: true };

let service: TrustedSandbox;

beforeAll(async () => {
	service = await startTrusted();
});

afterEach(() => service.sandbox.reset());

afterAll(async () => await service.stop());

describe('Return All', () => {
	it(
		'tells of a list that is longer than n8n takes, in words for a person',
		async () => {
			service.sandbox.faults.add({ kind: 'hostile', body: 'hugeList' });

			const { error, items } = await service.run(LIST);

			expect(items).toEqual([]);
			expect(error?.message).toMatch(/^The list has 500000 entries/);
			expect(error?.description).toMatch(/"Limit" to at most 100000/);
		},
		PATIENCE,
	);

	it(
		'takes 100,000 entries',
		async () => {
			const entries = Array.from({ length: 100_000 }, (_, index) => ({ uuid: `${index}` }));
			service.sandbox.faults.add({ kind: 'body', body: JSON.stringify(entries) });

			const { error, items } = await service.run(LIST);

			expect(error?.message).toBeUndefined();
			expect(items).toHaveLength(100_000);
		},
		PATIENCE,
	);

	it(
		'takes 50 MB in one entry',
		async () => {
			service.sandbox.faults.add({ kind: 'hostile', body: 'huge' });

			const { error, items } = await service.run(LIST);

			expect(error?.message).toBeUndefined();
			expect((items[0].json.name as string).length).toBe(50 * 1024 * 1024);
		},
		PATIENCE,
	);

	it('ends a list that turns in a circle with an error', async () => {
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
		['bare identifiers', ['a', 7], [{ uuid: 'a' }, { uuid: '7' }]],
		['lists and flags', [[1], true], [{ value: [1] }, { value: true }]],
		['nothing', [], []],
	])('become one object each: %s', async (_what, entries, expected) => {
		service.sandbox.faults.add({ kind: 'body', body: JSON.stringify(entries) });

		const { items } = await service.run(LIST);

		expect(items.map(({ json }) => json)).toEqual(expected);
	});

	it('lose keys that reach for the prototype', async () => {
		service.sandbox.faults.add({ kind: 'hostile', body: 'protoList' });

		const { items } = await service.run(LIST);

		expect(items.map(({ json }) => json)).toEqual([{ uuid: '1', email: 'a@example.com' }]);
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
	});
});

describe('a user who is none', () => {
	it.each(['{"id":{}}', '{"id":""}', '{"id":null}', '{"id":".."}', '{"id":"a/../b"}'])(
		'is not worked for, nor does it lead anywhere else: %s',
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
