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

it('starts the first batch at once, and the items of each batch together', async () => {
	jest.useFakeTimers();
	const batching = { batch: { batchSize: 2, batchInterval: 1000 } };
	const begin = Date.now();
	const starts: number[] = [];
	const run = new Run(createHost({ requestOptions: { batching } }, 5), {
		requests: [endpoints.getContainer],
		parse: () => undefined,
		async send() {
			starts.push(Date.now() - begin);
			return await Promise.resolve([]);
		},
	});

	await afterAnHour(run.execute());

	expect(starts).toEqual([0, 0, 1000, 1000, 2000]);
});
