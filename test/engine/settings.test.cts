import type { IDataObject } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { contactsOf, sync, table } from './support/contacts.cts';
import { encode, envelope, path, uploadsTo } from './support/encode.cts';
import {
	byId,
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

const get = operation('container: get', byId('={{ $json.id }}'));

describe.each([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const)(
	'On Error: %s',
	(onError) => {
		/** Fields of the input with names that error items have, too. */
		const own = { containerId: 'mine', httpCode: 'mine' };
		const items = ['a', 'b', 'c'].map((id) => ({ json: { id, ...own } }));
		const respond = (id: string, status = 200) =>
			service.get(`/containers/${id}`).reply(status, { uuid: id, message: 'No' });
		const forB = (value: string) => byId(`={{ $json.id === 'b' ? ${value} : $json.id }}`);
		const baseUrl = '={{ $json.id === "b" ? "http" : "https" }}://share.example.com/api/v1';

		it.each<[string, { parameters?: IDataObject; credentials?: { baseUrl: string } }]>([
			['parsing', { parameters: forB("''") }],
			['an expression', { parameters: forB("$('None').item.json.id") }],
			['the credential', { credentials: { baseUrl } }],
			['sending', {}],
		])('keeps its meaning when an item fails at %s', async (stage, { parameters, ...more }) => {
			if (onError !== undefined || stage === 'sending') respond('a');
			if (stage === 'sending') respond('b', 422);
			if (onError !== undefined) respond('c');

			const result = await get(parameters, {}, { items, onError, ...more });

			if (onError === undefined) {
				expect(result.error).toMatchObject({ context: { itemIndex: 1 } });
				return expect(result.items).toEqual([]);
			}
			expect(result.error).toBeUndefined();
			const isOutput = onError === 'continueErrorOutput';
			const error = expect.stringMatching(/./) as string;
			expect(isOutput ? result.errorItems : result.items.slice(1, 2)).toMatchObject([
				{ json: { error, ...(isOutput ? { id: 'b', ...own } : {}) }, pairedItem: { item: 1 } },
			]);
			expect(result.items.map(({ json }) => json.uuid).filter(Boolean)).toEqual(['a', 'c']);
		});

		it('keeps its meaning when an operation fails for all items', async () => {
			holds(...['old', 'older', 'oldest'].map((name) => ({ email: `${name}@example.com` })));
			const rows = table({ email: 'a@example.com' }, { email: 'b@example.com' });

			const result = await sync(rows, { parameters: { deleteMissing: true }, onError });

			expect(changes()).toEqual([]);
			const message = expect.stringMatching(/would delete 3 of 3 contacts, more than 20%$/);
			if (onError === undefined) return expect(result.error?.message).toEqual(message);
			const failed = onError === 'continueErrorOutput' ? result.errorItems : result.items;
			expect(failed.map(({ json }) => json.error)).toEqual([message, message]);
		});
	},
);

it('Execute Once runs for the first item, and never leaves out the files of others', async () => {
	service.get('/containers/c-1').reply(200, { uuid: 'c-1' });
	service.post(path).reply(200, envelope);
	const more = { items: itemsWith('c-1', 'c-2', 'c-3'), executeOnce: true };

	const { items } = await get({}, {}, more);
	expect(items).toMatchObject([{ json: { uuid: 'c-1' }, pairedItem: { item: 0 } }]);
	expect(await outputOf(encode({}, {}, more))).toHaveLength(1);
	const { error } = await encode({ containerMode: 'allItems', name: 'Invoice' }, {}, more);
	expect(error?.message).toMatch(/needs all input items, but "Execute Once" is on \[item 0\]/);
});

describe('Batching', () => {
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
		const more = { items: itemsWith(...ids) };
		const { items, error } = await encode(inBatchesOf(10, 10), { maxConcurrent: 2 }, more);

		expect(error).toBeUndefined();
		expect(pair.peak).toBe(2);
		expect(sentNames()).toEqual(ids);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_id, item) => ({ item })));
	});

	it('sends nothing when an expression fails in a later batch', async () => {
		const name = `={{ $json.id === 'D' ? $('No Such Node').item.json.id : $json.id }}`;
		const more = { items: itemsWith('A', 'B', 'C', 'D', 'E'), ...tries };

		const { error } = await encode({ ...inBatchesOf(1, 50), name }, {}, more);

		expect(error).toMatchObject({
			description: expect.stringContaining('Correct the expression in "Container Name".') as string,
			context: { itemIndex: 3, nodeCause: 'No Such Node' },
		});
		expect(uploads()).toEqual([]);
	});
});

describe('Resource or Operation', () => {
	const message = '"Resource" or "Operation" has an unknown value';

	it.each([
		['an expression', "={{ 'container' }}", 'get'],
		['an operation that does not exist', 'container', 'rename'],
		['a resource that does not exist', 'folder', 'get'],
	])('that is %s is an error before anything is sent', async (_what, resource, value) => {
		const parameters = { resource, operation: value, ...byId('c-1') };
		await expectRefusal(service, run('container: get', parameters), message);

		const more = { items: itemsWith('1', '2'), onError: 'continueRegularOutput' } as const;
		const { items } = await run('container: get', parameters, {}, more);
		expect(items).toMatchObject(
			[0, 1].map((item) => ({
				...{ json: { error: `${message} [item ${item}]` }, pairedItem: { item } },
			})),
		);
	});
});
