import { setTimeout as wait } from 'node:timers/promises';
import { Expression, type IDataObject, type OnError } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { withUnhandledRejections } from '../support/unhandled.cts';
import { encode, envelope, path, uploadsTo } from './support/encode.cts';
import {
	containerId,
	containersPath as listPath,
	inBatchesOf,
	itemsWith,
	operation,
} from './support/operations.cts';

const service = mockService();
const { uploads, accept } = uploadsTo(service);

const get = operation('container: get', { containerId: containerId('={{ $json.id }}') });
const sequentially = { maxConcurrent: 1 };

describe('an execution that stops at an error', () => {
	const names = Array.from({ length: 30 }, (_item, index) => `Item ${index}`);

	it.each<[string, number, IDataObject, RegExp]>([
		['created', 200, envelope, /Created before the execution stopped: container "Invoice" \(c-1\)/],
		['might have created', 500, {}, /Might have been created: container "Slow A", .*"Slow B"\./],
	])('waits for what is in flight, and names what it %s', async (_what, status, body, expected) => {
		service.post(path, /Slow/).times(2).delay(200).reply(status, body);
		service.post(path, /Wrong/).reply(422, {});
		const items = itemsWith('Slow A', 'Slow B', 'Wrong');

		const { error } = await encode({}, { maxConcurrent: 3 }, { items });

		expect(error?.message).toMatch(/did not accept .* \[item 2\]$|status 500/);
		expect(error?.description).toMatch(expected);
	});

	it('names the item that failed, not one before it that waits to try again', async () => {
		service.get('/containers/A').reply(503);
		service.get('/containers/B').delay(50).reply(422, { message: 'no' });
		const options = { maxRetries: 1, maxConcurrent: 2 };

		const { error } = await get({}, options, { items: itemsWith('A', 'B') });

		// Longer than the pause before the retry, which nothing may follow.
		await wait(1500);
		expect(error?.message).toMatch(/did not accept .* \[item 1\]$/);
		expect(service.requests).toHaveLength(2);
	});

	it('names every container that was created, beyond twenty too, and every one that might have been', async () => {
		const created = names.slice(0, 25);
		accept(...created);
		service.post(path).reply(500);

		const { error } = await encode({}, sequentially, { items: itemsWith(...names) });

		const description = String(error?.description);
		for (const name of created) expect(description).toContain(`(c-${name})`);
		expect(description).toMatch(
			/Might have been created: container "Item 25"\. .* To keep the output of successful items, set "On Error" to Continue/,
		);
	});
});

describe('an execution that ended', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['for the next batch', inBatchesOf(1, 1000), {}],
		['for another item of the same name', { name: 'Same' }, { ifExists: 'reuse' }],
	])('sends nothing of what waits %s', async (_what, parameters, options) => {
		if (options.ifExists !== undefined) service.get(listPath).query(true).reply(200, []);
		service.post(path).delay(20).reply(422, { message: 'No' });

		const { result, unhandled } = await withUnhandledRejections(async () => {
			const items = itemsWith('A', 'B', 'C');
			const running = await encode(parameters, { maxConcurrent: 2, ...options }, { items });
			await wait(1200);
			return running;
		});

		expect(unhandled).toEqual([]);
		expect(result.error?.message).toMatch(/did not accept the request/);
		expect(uploads()).toHaveLength(1);
	});
});

describe('an execution that is canceled', () => {
	const created =
		/Created before the execution stopped: container "A{150}…" \(c-A\)\. Might have been created: container "B"\./;

	it.each([
		['ABC', undefined],
		['ABC', 'continueRegularOutput'],
		['AB', undefined],
	] as const)(
		'names what was created and what might have been (%s, On Error: %s)',
		async (ids, onError) => {
			const stop = new AbortController();
			service.post(path).reply(200, { container: { uuid: 'c-A', name: 'A'.repeat(900) } });
			service.post(path).reply(() => {
				setTimeout(() => stop.abort(), 50);
				return new Promise(() => undefined);
			});

			const more = { items: itemsWith(...ids), onError, signal: stop.signal };
			const { result, unhandled } = await withUnhandledRejections(
				async () => await encode({}, {}, more),
			);

			expect(unhandled).toEqual([]);
			expect(result.status).toBe('canceled');
			expect(uploads()).toHaveLength(2);
			// Where the node continues, n8n takes an error for the input: the items tell what became of them.
			if (onError !== undefined) return expect(result.error).toBeUndefined();
			expect(result.error?.message).toMatch(/The execution was canceled/);
			expect(result.error?.description).toMatch(created);
			expect(result.error?.description).toMatch(/before you run the workflow again\.$/);
		},
	);

	it.each<[string, number, OnError | undefined]>([
		['while items are parsed', 0, undefined],
		['while items are parsed', 0, 'continueRegularOutput'],
		['between two batches', 1, undefined],
		['between two batches', 1, 'continueRegularOutput'],
	])('%s sends nothing more (%i sent, On Error: %s)', async (_when, sent, onError) => {
		const stop = new AbortController();
		const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		if (sent === 0) evaluate.mockImplementationOnce(() => void stop.abort());
		else {
			service.post(path).reply(() => {
				setTimeout(() => stop.abort(), 20);
				return [200, { container: { uuid: 'c-1' } }];
			});
		}

		const { result, unhandled } = await withUnhandledRejections(async () => {
			const items = itemsWith('A', 'B', 'C');
			const running = await encode(
				inBatchesOf(1, 200),
				{},
				{ items, onError, signal: stop.signal },
			);
			await wait(300);
			return running;
		});
		evaluate.mockRestore();

		expect(unhandled).toEqual([]);
		expect(result.status).toBe('canceled');
		expect(uploads()).toHaveLength(sent);
	});
});
