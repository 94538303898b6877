import { setTimeout as wait } from 'node:timers/promises';
import { Expression, type IDataObject } from 'n8n-workflow';
import { mockService } from '../support/nock.cts';
import { encode, envelope, path, uploadsTo } from './support/encode.cts';
import {
	byId,
	containersPath as listPath,
	gather,
	inBatchesOf,
	itemsWith,
	operation,
	outputOf,
	run,
	tries,
	type Run,
} from './support/operations.cts';

const service = mockService();
const { uploads, sentNames } = uploadsTo(service);

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

		it('shows no ID where an expression returned none', async () => {
			const one = { items: itemsWith('a'), onError };
			const { error, items: output, errorItems } = await get(byId('={{ $json.none }}'), {}, one);

			if (onError === undefined) return expect(error?.message).toMatch(/^"Container" is empty/);
			expect([...output, ...errorItems]).toMatchObject([{ json: { containerId: '' } }]);
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

it.each([
	['an expression', "={{ 'container' }}", 'get'],
	['a value that does not exist', 'container', 'rename'],
])('Resource or Operation with %s sends nothing', async (_what, resource, operation) => {
	const { error } = await run('container: get', { resource, operation, ...byId('c-1') });
	expect(error?.message).toContain('the API key was not sent');
});

/** Runs Encode, and waits for what could come after its end: jest fails the test for a rejection that nobody handles. */
const encodeAndWait = async (milliseconds: number, ...given: Parameters<Run>) => {
	const running = encode(...given);
	await wait(milliseconds);
	return await running;
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
			expect(error?.message).toBe('The execution was canceled');
			expect(error?.description).toMatch(created);
		},
	);

	it.each([
		['while items are parsed', 0],
		['between two batches', 1],
		['while an item waits to try again', 1, 429],
	])('%s sends nothing more (%i sent)', async (_when, sent, answer = 200) => {
		const stop = new AbortController();
		const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		if (sent === 0) evaluate.mockImplementationOnce(() => void stop.abort());
		else {
			service.post(path).reply(() => {
				setTimeout(() => stop.abort(), 20);
				// Longer than the test may take.
				return [answer, { container: { uuid: 'c-1' } }, { 'Retry-After': '60' }];
			});
		}

		const more = { items: itemsWith('A', 'B', 'C'), signal: stop.signal };
		const { status } = await encodeAndWait(300, inBatchesOf(1, 200), { maxRetries: 1 }, more);
		evaluate.mockRestore();

		expect(status).toBe('canceled');
		expect(uploads()).toHaveLength(sent);
	});

	it('returns what was created, and an error for what waits, where the node continues', async () => {
		const stop = new AbortController();
		service.post(path).reply(() => {
			// When B waits for its batch.
			setTimeout(() => stop.abort(), 2000);
			return [200, envelope];
		});
		const onError = 'continueRegularOutput' as const;

		const more = { items: itemsWith('A', 'B'), signal: stop.signal, onError };
		const { items } = await encode(inBatchesOf(1, 60_000), {}, more);

		expect(items).toMatchObject([
			{ json: { containerId: 'c-1' } },
			{ json: { error: expect.stringMatching(/aborted/) as string } },
		]);
	});
});
