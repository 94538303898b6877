import { setTimeout as wait } from 'node:timers/promises';
import { Expression, type IDataObject, type INodeParameters, type OnError } from 'n8n-workflow';
import { runNode, type RunNodeOptions } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { withUnhandledRejections } from '../support/unhandled.cts';
import { contactsOf, pathOf, sync, table } from './support/contacts.cts';
import { encode, path, uploadsTo } from './support/encode.cts';
import { containerId, containersPath as listPath, itemsWith, sequential } from './support/operations.cts';

const service = mockService();
const { uploads } = uploadsTo(service);
const { holds, changes } = contactsOf(service);

const batches = (batchSize: unknown, batchInterval: unknown) =>
	({ requestOptions: { batching: { batch: { batchSize, batchInterval } } } }) as INodeParameters;

describe('On Error', () => {
	/** Fields of the input with names that error items have, too. */
	const own = { containerId: 'mine', httpCode: 'mine' };
	const items = ['a', 'b', 'c'].map((id) => ({ json: { id, ...own } }));
	const respond = (id: string, status = 200) =>
		service.get(`/containers/${id}`).reply(status, { uuid: id, message: 'No' });
	const get = async (onError?: OnError, more: Partial<RunNodeOptions> = {}) =>
		await runNode({
			items,
			onError,
			...more,
			parameters: {
				resource: 'container',
				operation: 'get',
				containerId: containerId('={{ $json.id }}'),
				options: sequential,
				...more.parameters,
			},
		});
	const failing = {
		parse: { parameters: { containerId: containerId("={{ $json.id === 'b' ? '' : $json.id }}") } },
		'an expression': {
			parameters: {
				containerId: containerId("={{ $json.id === 'b' ? $('None').item.json.id : $json.id }}"),
			},
		},
		'the credential': {
			credentials: {
				baseUrl: '={{ $json.id === "b" ? "http" : "https" }}://share.example.com/api/v1',
			},
		},
		send: {},
	};
	const stages = Object.keys(failing) as Array<keyof typeof failing>;

	describe.each(stages)('when an item fails at %s', (stage) => {
		it.each([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const)(
			'keeps its meaning: %s',
			async (onError) => {
				const isParsed = stage === 'send' || stage === 'the credential';
				if (onError !== undefined || isParsed) respond('a');
				if (stage === 'send') respond('b', 422);
				if (onError !== undefined) respond('c');

				const { error, items: output, errorItems } = await get(onError, failing[stage]);

				if (onError === undefined) {
					expect(error).toMatchObject({ context: { itemIndex: 1 } });
					expect(output).toEqual([]);
					return;
				}
				expect(error).toBeUndefined();
				const isOutput = onError === 'continueErrorOutput';
				const failed = isOutput ? errorItems : output.slice(1, 2);
				expect(failed).toEqual([
					expect.objectContaining({
						json: expect.objectContaining({
							error: expect.stringMatching(/./),
							...(isOutput ? { id: 'b', containerId: 'mine', httpCode: 'mine' } : {}),
						}),
						pairedItem: { item: 1 },
					}),
				]);
				expect(output.map(({ json }) => json.uuid).filter(Boolean)).toEqual(['a', 'c']);
			},
		);
	});

	it.each([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'keeps its meaning when an operation fails for all items: %s',
		async (onError) => {
			holds({ email: 'old@example.com' });
			const rows = table({ email: 'a@example.com' }, { email: 'b@example.com' });

			const {
				error,
				items: output,
				errorItems,
			} = await sync(rows, {
				parameters: { deleteMissing: true },
				onError,
			});

			expect(changes()).toEqual([]);
			const message = expect.stringMatching(/would delete 1 of 1 contacts, more than 10%$/);
			if (onError === undefined) return expect(error?.message).toEqual(message);
			const failed = onError === 'continueErrorOutput' ? errorItems : output;
			expect(failed.map(({ json }) => json.error)).toEqual([message, message]);
		},
	);
});

describe('a loop of one execution', () => {
	it.each([
		['of other names', '={{ $runIndex }}', 3],
		['of one name', 'Invoice', 1],
	])('fetches one list for If Container Exists: containers %s', async (_what, name, created) => {
		service.get(listPath).reply(200, []);
		service
			.post(path)
			.times(created)
			.reply(200, { container: { uuid: 'c-1' } });
		service
			.get('/containers/c-1/drm')
			.times(3 - created)
			.optionally(created === 3)
			.reply(200, { dynamic: true });

		const { execution } = await encode({ name }, { ifExists: 'reuse' }, { runs: 3 });

		expect(execution.status).toBe('success');
		expect(uploads()).toHaveLength(created);
	});
});

describe('an execution that is canceled', () => {
	it.each<[string, number, OnError | undefined]>([
		['while items are parsed', 0, undefined],
		['while items are parsed', 0, 'continueRegularOutput'],
		['between two batches', 1, undefined],
		['between two batches', 1, 'continueRegularOutput'],
	])('%s sends nothing more (%i sent, On Error: %s)', async (_when, sent, onError) => {
		const stop = new AbortController();
		const evaluate = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		if (sent === 0) evaluate.mockImplementationOnce(() => void stop.abort());
		service
			.post(path)
			.optionally(sent === 0)
			.reply(() => {
				setTimeout(() => stop.abort(), 20);
				return [200, { container: { uuid: 'c-1' } }];
			});

		const { result, unhandled } = await withUnhandledRejections(async () => {
			const run = await encode(
				batches(1, 300),
				{},
				{ items: itemsWith('A', 'B', 'C'), onError, signal: stop.signal },
			);
			await wait(400);
			return run;
		});
		evaluate.mockRestore();

		expect(unhandled).toEqual([]);
		expect(result.status).toBe('canceled');
		expect(uploads()).toHaveLength(sent);
	});
});

describe('an execution that ended', () => {
	it.each<[string, INodeParameters, IDataObject]>([
		['for the next batch', batches(1, 200), {}],
		['for another item of the same name', { name: 'Same' }, { ifExists: 'reuse' }],
	])('sends nothing of what waits %s', async (_what, parameters, options) => {
		if (options.ifExists !== undefined) service.get(listPath).reply(200, []);
		service.post(path).delay(20).reply(422, { message: 'No' });

		const { result, unhandled } = await withUnhandledRejections(async () => {
			const items = itemsWith('A', 'B', 'C');
			const run = await encode(parameters, { maxConcurrent: 2, ...options }, { items });
			await wait(400);
			return run;
		});

		expect(unhandled).toEqual([]);
		expect(result.error?.message).toMatch(/did not accept the request/);
		expect(uploads()).toHaveLength(1);
	});
});

describe('Retry On Fail', () => {
	it('of Sync deletes once, after all is written, and what one try wrote is not written again', async () => {
		holds({ email: 'old@example.com' });
		const [anna, bob] = ['anna@example.com', 'bob@example.com'];
		service.patch(pathOf(anna)).reply(200, { email: anna });
		service.patch(pathOf(bob)).reply(422, { message: 'No' });
		service.patch(pathOf(bob)).reply(200, { email: bob });
		service.delete(pathOf('old@example.com')).reply(204);

		const { items } = await sync(table({ email: anna }, { email: bob }), {
			parameters: { deleteMissing: true },
			options: { maxDeletions: 100 },
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 1,
		});

		expect(changes().map(([method, email]) => [method, email])).toEqual([
			['PATCH', anna],
			['PATCH', bob],
			['PATCH', bob],
			['DELETE', 'old@example.com'],
		]);
		expect(items.map(({ json }) => json.action)).toEqual(['created', 'created', 'deleted']);
	});
});

describe('a hint after the run', () => {
	const hints = async (run: Promise<{ run: { hints?: Array<{ message: string }> } }>) =>
		((await run).run.hints ?? []).map(({ message }) => message);

	it('tells how long the rate limit held the node back', async () => {
		service.post(path).reply(429, '', { 'retry-after': '1' });
		service.post(path).reply(200, { container: { uuid: 'c-1' } });

		expect(await hints(encode({}, { maxRetries: 1 }))).toEqual([
			"The service's rate limit held the node back for 1 s.",
		]);
	});

	it('tells how many requests were sent again', async () => {
		service.scope().get('/containers/c-1').reply(503, '');
		service.scope().get('/containers/c-1').reply(200, { uuid: 'c-1' });
		const parameters: INodeParameters = {
			resource: 'container',
			operation: 'get',
			containerId: containerId('c-1'),
			options: { maxRetries: 1 },
		};

		expect(await hints(runNode({ parameters }))).toEqual([
			'Requests sent again after an outage: 1.',
		]);
	});

	it('tells how many containers were reused', async () => {
		service.get(listPath).reply(200, [{ uuid: 'c-1', name: 'Invoice' }]);
		service.get('/containers/c-1/drm').reply(200, { dynamic: true });

		service.post(path).reply(200, { container: { uuid: 'c-2' } });
		const items = itemsWith('Invoice', 'Other');

		expect(await hints(encode({}, { ifExists: 'reuse' }, { items }))).toEqual([
			'1 of 2 containers existed already: nothing was uploaded there.',
		]);
	});

	it('tells of a dry run', async () => {
		holds();

		const run = sync(table({ email: 'a@example.com' }), { options: { dryRun: true } });

		expect(await hints(run)).toEqual(['This was a dry run. No contact was changed.']);
	});
});
