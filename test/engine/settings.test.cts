import type { IDataObject, OnError } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { contactsOf, sync, table } from './support/contacts.cts';
import { encode, envelope, path, uploadsTo } from './support/encode.cts';
import {
	containerId,
	expectRefusal,
	gather,
	inBatchesOf,
	itemsWith,
	operation,
	outputOf,
	run,
	tries,
} from './support/operations.cts';

const service = mockService();
const { uploads, sentNames } = uploadsTo(service);
const { holds, changes } = contactsOf(service);

const get = operation('container: get', { containerId: containerId('={{ $json.id }}') });

describe('On Error', () => {
	/** Fields of the input with names that error items have, too. */
	const own = { containerId: 'mine', httpCode: 'mine' };
	const items = ['a', 'b', 'c'].map((id) => ({ json: { id, ...own } }));
	const respond = (id: string, status = 200) =>
		service.get(`/containers/${id}`).reply(status, { uuid: id, message: 'No' });
	const forB = (value: string) => ({
		containerId: containerId(`={{ $json.id === 'b' ? ${value} : $json.id }}`),
	});
	const stages: Record<string, { parameters?: IDataObject; credentials?: { baseUrl: string } }> = {
		parse: { parameters: forB("''") },
		'an expression': { parameters: forB("$('None').item.json.id") },
		'the credential': {
			credentials: {
				baseUrl: '={{ $json.id === "b" ? "http" : "https" }}://share.example.com/api/v1',
			},
		},
		send: {},
	};

	describe.each(Object.keys(stages))('when an item fails at %s', (stage) => {
		it.each([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const)(
			'keeps its meaning: %s',
			async (onError) => {
				const { parameters, ...more } = stages[stage];
				if (onError !== undefined || stage === 'send') respond('a');
				if (stage === 'send') respond('b', 422);
				if (onError !== undefined) respond('c');

				const result = await get(parameters, {}, { items, onError, ...more });

				if (onError === undefined) {
					expect(result.error).toMatchObject({ context: { itemIndex: 1 } });
					return expect(result.items).toEqual([]);
				}
				expect(result.error).toBeUndefined();
				const isOutput = onError === 'continueErrorOutput';
				expect(isOutput ? result.errorItems : result.items.slice(1, 2)).toMatchObject([
					{
						json: {
							error: expect.stringMatching(/./),
							...(isOutput ? { id: 'b', ...own } : {}),
						},
						pairedItem: { item: 1 },
					},
				]);
				expect(result.items.map(({ json }) => json.uuid).filter(Boolean)).toEqual(['a', 'c']);
			},
		);
	});

	it.each([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'keeps its meaning when an operation fails for all items: %s',
		async (onError) => {
			holds(...['old', 'older', 'oldest'].map((name) => ({ email: `${name}@example.com` })));
			const rows = table({ email: 'a@example.com' }, { email: 'b@example.com' });

			const result = await sync(rows, { parameters: { deleteMissing: true }, onError });

			expect(changes()).toEqual([]);
			const message = expect.stringMatching(/would delete 3 of 3 contacts, more than 20%$/);
			if (onError === undefined) return expect(result.error?.message).toEqual(message);
			const failed = onError === 'continueErrorOutput' ? result.errorItems : result.items;
			expect(failed.map(({ json }) => json.error)).toEqual([message, message]);
		},
	);
});

describe('Execute Once', () => {
	it('runs for the first item', async () => {
		service.get('/containers/c-1').reply(200, { uuid: 'c-1' });
		service.delete('/containers/c-1').reply(204);
		const more = { items: itemsWith('c-1', 'c-2', 'c-3'), executeOnce: true };

		const { items } = await get({}, {}, more);
		expect(items).toMatchObject([{ json: { uuid: 'c-1' }, pairedItem: { item: 0 } }]);

		await outputOf(get({ operation: 'delete' }, {}, more));
		expect(service.requests).toHaveLength(2);
	});

	it('never leaves out the files of other items', async () => {
		service.post(path).reply(200, envelope);
		const more = { items: itemsWith('One', 'Two', 'Three'), executeOnce: true };

		expect(await outputOf(encode({}, {}, more))).toHaveLength(1);
		const { error } = await encode({ containerMode: 'allItems', name: 'Invoice' }, {}, more);
		expect(error?.message).toMatch(/needs all input items, but "Execute Once" is on \[item 0\]/);
	});
});

describe('Batching', () => {
	const items = itemsWith('A', 'B', 'C', 'D', 'E');

	it('keeps the limit of concurrent requests and the order of the items', async () => {
		const ids = Array.from({ length: 30 }, (_value, index) => `item ${index}`);
		const pair = gather(2);
		service
			.post(path)
			.times(ids.length)
			.reply(async () => {
				await pair.join();
				return [200, { container: { uuid: 'c-1' } }];
			});

		// The next batch starts while requests of those before are still waiting.
		const { items: results, error } = await encode(
			inBatchesOf(10, 10),
			{ maxConcurrent: 2 },
			{ items: itemsWith(...ids) },
		);

		expect(error).toBeUndefined();
		expect(pair.peak).toBe(2);
		expect(sentNames()).toEqual(ids);
		expect(results.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_id, item) => ({ item })));
	});

	it('sends nothing when an expression fails in a later batch', async () => {
		const name = `={{ $json.id === 'D' ? $('No Such Node').item.json.id : $json.id }}`;

		const { error } = await encode({ ...inBatchesOf(1, 50), name }, {}, { items, ...tries });

		expect(error).toMatchObject({
			description: expect.stringContaining('Correct the expression in "Container Name".'),
			context: { itemIndex: 3, nodeCause: 'No Such Node' },
		});
		expect(uploads()).toEqual([]);
	});
});

describe('Resource and Operation', () => {
	const asExpression = (text: string) => `={{ '${text}' }}`;
	const runAny = async (resource: string, value: string, onError?: OnError) =>
		await run(
			'container: get',
			{ resource, operation: value, containerId: containerId('c-1') },
			{},
			{ items: itemsWith('One', 'Two'), onError },
		);

	it.each([
		['an expression', asExpression('container'), 'get'],
		['an operation that does not exist', 'container', 'rename'],
		['a resource that does not exist', 'folder', 'get'],
	])('with %s are an error before anything is sent', async (_what, resource, value) => {
		await expectRefusal(
			service,
			runAny(resource, value),
			/^"Resource" or "Operation" has an unknown value/,
			{ advice: /^The node has no .* Choose both from the lists: .* after a Switch node\.$/ },
		);
	});

	it('with an unknown value return error items when the node continues', async () => {
		const { items } = await runAny('container', 'rename', 'continueRegularOutput');

		expect(items.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual(
			[0, 1].map((item) => [
				`"Resource" or "Operation" has an unknown value [item ${item}]`,
				{ item },
			]),
		);
		expect(Object.keys(items[0].json)).toEqual(['error', 'errorDescription']);
	});
});

describe('a hint after the run', () => {
	const hints = async (running: ReturnType<typeof encode>) =>
		((await running).run.hints ?? []).map(({ message }) => message);

	it('tells of a dry run', async () => {
		holds();

		expect(
			await hints(sync(table({ email: 'a@x.example' }), { parameters: { dryRun: true } })),
		).toEqual(['This was a dry run. No contact was changed.']);
	});
});
