import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containerId, itemsWith } from './support/operations.cts';

const service = mockService();

const run = async (parameters: INodeParameters, onError?: 'continueRegularOutput') =>
	await runNode({
		parameters: { containerId: containerId('c-1'), options: {}, ...parameters },
		items: itemsWith('One', 'Two'),
		onError,
	});

const asExpression = (text: string) => `={{ '${text}' }}`;

describe('Resource and Operation', () => {
	it.each([
		['an expression', asExpression('container'), 'get'],
		['an expression', 'container', asExpression('get')],
		['an expression', asExpression('user'), asExpression('getMe')],
		['an operation that does not exist', 'container', 'rename'],
		['a resource that does not exist', 'folder', 'get'],
	])('with %s are an error before anything is sent', async (_what, resource, operation) => {
		const { error } = await run({ resource, operation });

		expect(error?.message).toBe('"Resource" or "Operation" has an unknown value [item 0]');
		expect(error?.description).toMatch(
			/^The node has no .* Choose both from the lists: .* after a Switch node\.$/,
		);
		expect(service.requests).toEqual([]);
	});

	it('with an unknown value return error items when the node continues', async () => {
		const { items } = await run(
			{ resource: 'container', operation: 'rename' },
			'continueRegularOutput',
		);

		expect(items.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual(
			[0, 1].map((item) => [
				`"Resource" or "Operation" has an unknown value [item ${item}]`,
				{ item },
			]),
		);
		expect(Object.keys(items[0].json)).toEqual(['error', 'errorDescription']);
	});
});
