import { setTimeout as wait } from 'node:timers/promises';
import { Expression, type IDataObject } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { withUnhandledRejections } from '../support/unhandled.cts';
import { encode, envelope, path, uploadsTo } from './support/encode.cts';
import {
	byId,
	containersPath as listPath,
	inBatchesOf,
	itemsWith,
	operation,
	type Run,
} from './support/operations.cts';

const service = mockService();
const { uploads, accept } = uploadsTo(service);

/** Runs Encode, and waits for what could come after its end. */
const encodeAndWait = async (milliseconds: number, ...given: Parameters<Run>) => {
	const { result, unhandled } = await withUnhandledRejections(async () => {
		const running = await encode(...given);
		await wait(milliseconds);
		return running;
	});
	expect(unhandled).toEqual([]);
	return result;
};

describe('an execution that stops at an error', () => {
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
		const get = operation('container: get', byId('={{ $json.id }}'));
		service.get('/containers/A').reply(503);
		service.get('/containers/B').delay(50).reply(422, { message: 'no' });
		const options = { maxRetries: 1, maxConcurrent: 2 };

		const { error } = await get({}, options, { items: itemsWith('A', 'B') });

		// Longer than the pause before the retry, which nothing may follow.
		await wait(1500);
		expect(error?.message).toMatch(/did not accept .* \[item 1\]$/);
		expect(service.requests).toHaveLength(2);
	});

	it('names every container that was created, and every one that might have been', async () => {
		const created = Array.from({ length: 25 }, (_item, index) => `Item ${index}`);
		accept(...created);
		service.post(path).reply(500);

		const more = { items: itemsWith(...created, 'Item 25', 'Item 26') };
		const { error } = await encode({}, { maxConcurrent: 1 }, more);

		for (const name of created) expect(error?.description).toContain(`(c-${name})`);
		expect(error?.description).toMatch(/Might have been created: container "Item 25"\. /);
	});

	it.each<[string, IDataObject, IDataObject]>([
		['for the next batch', inBatchesOf(1, 1000), {}],
		['for another item of the same name', { name: 'Same' }, { ifExists: 'reuse' }],
	])('sends nothing of what waits %s', async (_what, parameters, options) => {
		if (options.ifExists !== undefined) service.get(listPath).query(true).reply(200, []);
		service.post(path).delay(20).reply(422, { message: 'No' });
		const items = itemsWith('A', 'B', 'C');

		const { error } = await encodeAndWait(
			1200,
			parameters,
			{ maxConcurrent: 2, ...options },
			{ items },
		);

		expect(error?.message).toMatch(/did not accept the request/);
		expect(uploads()).toHaveLength(1);
	});
});

describe('an execution that is canceled', () => {
	const created =
		/Created before the execution stopped: container "A{150}…" \(c-A\)\. Might have been created: container "B"\./;

	it.each([undefined, 'continueRegularOutput'] as const)(
		'names what was created and what might have been (On Error: %s)',
		async (onError) => {
			const stop = new AbortController();
			service.post(path).reply(200, { container: { uuid: 'c-A', name: 'A'.repeat(900) } });
			service.post(path).reply(() => {
				setTimeout(() => stop.abort(), 50);
				return new Promise(() => undefined);
			});

			const more = { items: itemsWith(...'ABC'), onError, signal: stop.signal };
			const { status, error } = await encodeAndWait(0, {}, {}, more);

			expect(status).toBe('canceled');
			expect(uploads()).toHaveLength(2);
			// Where the node continues, n8n takes an error for the input: the items tell what became of them.
			if (onError !== undefined) return expect(error).toBeUndefined();
			expect(error?.message).toMatch(/The execution was canceled/);
			expect(error?.description).toMatch(created);
		},
	);

	it.each([
		['while items are parsed', 0],
		['between two batches', 1],
	])('%s sends nothing more (%i sent)', async (_when, sent) => {
		const stop = new AbortController();
		const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		if (sent === 0) evaluate.mockImplementationOnce(() => void stop.abort());
		else {
			service.post(path).reply(() => {
				setTimeout(() => stop.abort(), 20);
				return [200, { container: { uuid: 'c-1' } }];
			});
		}

		const more = { items: itemsWith('A', 'B', 'C'), signal: stop.signal };
		const { status } = await encodeAndWait(300, inBatchesOf(1, 200), {}, more);
		evaluate.mockRestore();

		expect(status).toBe('canceled');
		expect(uploads()).toHaveLength(sent);
	});
});
