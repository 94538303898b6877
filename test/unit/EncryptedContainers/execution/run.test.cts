import { UserError } from 'n8n-workflow';
import type { Host } from '../../../../nodes/EncryptedContainers/execution/host';
import { Run } from '../../../../nodes/EncryptedContainers/execution/run';
import { endpoints } from '../../../../nodes/shared/client/endpoints';
import { ServiceError } from '../../../../nodes/shared/errors/errors';
import { afterAnHour, errorOf } from '../../support/client.cts';

afterEach(() => jest.useRealTimers());

const hints: string[] = [];

/** n8n, with two items and no parameters but those that are given. */
function createHost(parameters: Record<string, unknown> = {}, itemCount = 2): Host {
	const data = { baseUrl: 'https://share.example.com/api/v1', apiKey: 'a key of the service' };
	const context = {
		getExecutionCancelSignal: () => undefined,
		getTimezone: () => 'UTC',
		continueOnFail: () => false,
	};
	return {
		context,
		node: { name: 'Encode', type: 'encryptedContainers', parameters: {} },
		items: new Map(Array.from({ length: itemCount }, (_item, index) => [index, { json: {} }])),
		tryKey: {},
		getParameter: (name: string, _index: number, fallback: unknown) => parameters[name] ?? fallback,
		addHint: (hint: string) => hints.push(hint),
		getCredential: async () => await Promise.resolve(data),
	} as unknown as Host;
}

it('who only waited when another item stopped the execution is not in doubt', async () => {
	const lost = new ServiceError(
		'The response was lost',
		'Try again.',
		{ kind: 'network', reason: 'reset', code: 'ECONNRESET' },
		{ what: 'container' },
		{ recordName: 'a' },
	);
	const run = new Run(createHost(), {
		requests: [endpoints.getContainer],
		parse: () => undefined,
		async send(item) {
			if (item.index === 0) throw lost;
			const { signal } = item.execution;
			await new Promise((resolve) => signal.addEventListener('abort', resolve));
			throw signal.reason;
		},
	});

	const { description } = await errorOf(run.execute());

	expect(description).toContain('Might have been created: container "a". Look for them');
});

it('an error before anything was created says nothing of that', async () => {
	const run = new Run(createHost(), {
		requests: [endpoints.getContainer],
		parse: () => undefined,
		async send() {
			return await Promise.reject(new UserError('It failed', { description: 'Try again.' }));
		},
	});

	const { description } = await errorOf(run.execute());

	expect(description).toBe('Try again.');
});

it('shows three hints at most, each once', async () => {
	const run = new Run(createHost(), {
		requests: [endpoints.getContainer],
		parse: () => undefined,
		async send({ execution }) {
			for (const hint of ['a', 'b', 'c', 'd']) execution.addHint(hint);
			return await Promise.resolve([]);
		},
	});
	await run.execute();
	expect(hints).toEqual(['a', 'b', 'c']);
});

describe('Batching', () => {
	const batching = { batch: { batchSize: 2, batchInterval: 1000 } };
	const createBatchingHost = (items: number) => createHost({ requestOptions: { batching } }, items);

	/** After how many milliseconds items are sent. */
	const findStarts = async (host: Host) => {
		jest.useFakeTimers();
		const begin = Date.now();
		const starts: number[] = [];
		const run = new Run(host, {
			requests: [endpoints.getContainer],
			parse: () => undefined,
			async send() {
				starts.push(Date.now() - begin);
				return await Promise.resolve([]);
			},
		});
		await afterAnHour(run.execute());
		return starts;
	};

	it('starts the first batch at once, and the items of each batch together', async () => {
		expect(await findStarts(createBatchingHost(5))).toEqual([0, 0, 1000, 1000, 2000]);
	});

	it('is that of the first item that can be read, where the node continues on errors', async () => {
		const host = createBatchingHost(4);
		host.context.continueOnFail = () => true;
		const { getParameter } = host;
		host.getParameter = (name, index, fallback) => {
			if (index === 0) throw new Error('The expression failed');
			return getParameter(name, index, fallback);
		};

		expect(await findStarts(host)).toEqual([0, 1000, 1000]);
	});
});
