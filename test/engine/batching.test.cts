import type { INodeParameters } from 'n8n-workflow';
import { withLog } from '../support/log.cts';
import { mockService } from '../support/nock.cts';
import { withUnhandledRejections } from '../support/unhandled.cts';
import { encode, path, uploadsTo } from './support/encode.cts';
import { itemsWith } from './support/operations.cts';

const service = mockService();
const { uploads, manifests } = uploadsTo(service);

const INTERVAL = 100;
const inBatchesOf = (batchSize: number, batchInterval = INTERVAL): INodeParameters => ({
	requestOptions: { batching: { batch: { batchSize, batchInterval } } },
});

/** An expression that n8n can't evaluate for this item. */
const failsAt = (id: string) =>
	`={{ $json.id === '${id}' ? $('No Such Node').item.json.id : $json.id }}`;

const accept = (...names: string[]) => {
	for (const name of names) {
		const response = { container: { uuid: `c-${name}`, name } };
		service.post(path).reply(200, response);
	}
};

const sentNames = () => manifests().map(({ container }) => (container as { name: string }).name);

const items = itemsWith('A', 'B', 'C', 'D', 'E');

/** Runs encode, and waits until nothing of it can come any more. */
const encodeAndWait = async (...options: Parameters<typeof encode>) =>
	await withUnhandledRejections(
		async () =>
			await withLog(async (lines) => {
				const result = await encode(...options);
				await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL));
				return { ...result, log: lines.join('\n') };
			}),
	);

describe('the watch for rejections', () => {
	it('sees one that is handled too late', async () => {
		const { unhandled } = await withUnhandledRejections(async () => {
			const rejection = Promise.reject(new Error('too late'));
			await new Promise((resolve) => setTimeout(resolve, 50));
			await rejection.catch(() => undefined);
		});

		expect(unhandled).toEqual([expect.objectContaining({ message: 'too late' })]);
	});
});

describe('an execution in batches', () => {
	it('keeps the limit of concurrent requests and the order of the items', async () => {
		const count = 30;
		const ids = Array.from({ length: count }, (_value, index) => `item ${index}`);
		let inFlight = 0;
		let peak = 0;
		service
			.post(path)
			.times(count)
			.reply(async () => {
				inFlight += 1;
				peak = Math.max(peak, inFlight);
				await new Promise((resolve) => setTimeout(resolve, 10));
				inFlight -= 1;
				return [200, { container: { uuid: 'c-1' } }];
			});

		// The next batch starts while requests of those before are still waiting.
		const { items: results, error } = await encode(
			inBatchesOf(10, 10),
			{ maxConcurrent: 2 },
			{ items: itemsWith(...ids) },
		);

		expect(error).toBeUndefined();
		expect(peak).toBe(2);
		expect(sentNames()).toEqual(ids);
		expect(results.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_id, item) => ({ item })));
	});
});

describe('an execution in batches that stops at an error', () => {
	it('sends all items when none fails', async () => {
		accept('A', 'B', 'C', 'D', 'E');

		const { result } = await encodeAndWait(inBatchesOf(2), {}, { items });

		expect(result.error).toBeUndefined();
		expect(result.items).toHaveLength(5);
	});

	it.each([
		['the first', 0, 1],
		['the first (of size 0, which n8n takes for 1)', 0, 0],
		['a later', 2, 2],
	])('reports an item of %s batch that the service refuses', async (_which, failing, size) => {
		const accepted = items.slice(0, failing).map(({ json }) => json.id);
		accept(...accepted);
		service.post(path).reply(422, { message: 'no' });

		const { result, unhandled } = await encodeAndWait(inBatchesOf(size), {}, { items });

		expect(unhandled).toEqual([]);
		expect(result.error?.message).toMatch(new RegExp(`did not accept.*\\[item ${failing}\\]`));
		expect(result.error?.context.itemIndex).toBe(failing);
		for (const id of accepted) expect(result.error?.description).toContain(`"${id}" (c-${id})`);
		expect(uploads()).toHaveLength(failing + 1);
	});
});

describe('an expression that fails', () => {
	it.each([
		['without batches', {}],
		['in a later batch', inBatchesOf(2)],
		['with tries', { ...inBatchesOf(1), retryOnFail: true }],
	])(
		'stops the execution before anything is sent: %s',
		async (_what, { retryOnFail, ...parameters }) => {
			const { result, unhandled } = await encodeAndWait(
				{ ...parameters, name: failsAt('D') },
				{},
				{ items, retryOnFail: retryOnFail === true, maxTries: 2, waitBetweenTries: 1 },
			);

			expect(unhandled).toEqual([]);
			expect(result.status).toBe('error');
			expect(result.error).toMatchObject({ context: { itemIndex: 3 } });
			expect(uploads()).toEqual([]);
		},
	);

	it('is an item of its own when the node continues on errors', async () => {
		accept('A', 'B', 'D', 'E');

		const { result, unhandled } = await encodeAndWait(
			{ ...inBatchesOf(2), name: failsAt('C') },
			{},
			{ items, onError: 'continueRegularOutput' },
		);

		expect(unhandled).toEqual([]);
		expect(result.items).toHaveLength(5);
		expect(result.items[2].json.error).toMatch(/\[item 2\]$/);
		expect(sentNames()).toEqual(['A', 'B', 'D', 'E']);
	});
});

describe('the settings of batches', () => {
	it.each([
		['numbers', 2, 200],
		['text', '2', '200'],
	])(
		'can be %s: each batch starts an interval after the one before',
		async (_form, batchSize, batchInterval) => {
			const times: number[] = [];
			service
				.post(path)
				.times(5)
				.reply(() => {
					times.push(Date.now());
					return [200, { container: { uuid: 'c-1' } }];
				});

			const { error } = await encode(
				{
					requestOptions: { batching: { batch: { batchSize, batchInterval } } },
				} as INodeParameters,
				{ maxConcurrent: 5 },
				{ items },
			);

			expect(error).toBeUndefined();
			for (const [earlier, later] of [
				[0, 2],
				[2, 4],
			]) {
				expect(times[later] - times[earlier]).toBeGreaterThanOrEqual(120);
			}
		},
	);

	it.each([
		['Items per Batch', { batchSize: 'all' }],
		['Batch Interval (ms)', { batchInterval: 'soon' }],
	])('are refused by name otherwise: %s', async (label, batch) => {
		const { error } = await encode({ requestOptions: { batching: { batch } } }, {}, { items });

		expect(error?.message).toMatch(`"${label}" must be a whole number`);
		expect(uploads()).toEqual([]);
	});
});
