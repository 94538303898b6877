import type { INodeParameters } from 'n8n-workflow';
import { runPoll } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';

const service = mockService();

describe('a parameter of the trigger', () => {
	it.each<[string, INodeParameters & { options?: INodeParameters }]>([
		['User ID', { options: { userId: '={{ undefined }}' } }],
		['User ID', { options: { userId: '={{ "" }}' } }],
		['User ID', { options: { userId: '={{ { id: 1 } }}' } }],
		['Include Existing', { options: { includeExisting: '={{ undefined }}' } }],
		[
			'Fields to Ignore',
			{ event: 'contactChanged', options: { fieldsToIgnore: '={{ undefined }}' } },
		],
		['Container Name Filter', { nameFilter: '={{ undefined }}' }],
		['Container Name Filter', { nameFilter: '={{ ["a"] }}' }],
		['Within Days', { withinDays: '={{ null }}' }],
		['Max Retries', { options: { maxRetries: '={{ null }}' } }],
	])(
		'is refused by name when its expression returns nothing usable: %s, %j',
		async (label, more) => {
			const { error, items } = await runPoll({
				parameters: { event: 'accessEnding', ...more, options: { maxRetries: 0, ...more.options } },
			});

			expect(error?.message).toContain(`"${label}"`);
			expect(items).toBeNull();
			expect(service.requests).toEqual([]);
		},
	);
});
