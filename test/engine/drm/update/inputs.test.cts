import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../../../support/engine.cts';
import { mockService } from '../../../support/nock.cts';
import { containerId, sequential } from '../../support/parameters.cts';

const service = mockService();

const update = async (rules: INodeParameters, options: INodeParameters = {}) =>
	await runNode({
		parameters: {
			resource: 'drm',
			operation: 'update',
			containerId: containerId('c-1'),
			rules,
			options: { ...sequential, ...options },
		},
	});

describe('a rule that changes nothing beside one that does', () => {
	it.each<[string, INodeParameters, string]>([
		[
			'nobody to add',
			{ opens: 3, addRecipients: '={{ $json.missing }}' },
			'"Recipients: Add" is empty',
		],
		[
			'nobody to remove',
			{ opens: 3, removeRecipients: '={{ [] }}' },
			'"Recipients: Remove" is empty',
		],
		['no dates', { opens: 3, timeEnd: '={{ null }}' }, '"Available Until" is empty'],
	])('is refused by name before anything is sent: %s', async (_what, rules, message) => {
		const { error } = await update(rules);

		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});

	it('is an option whose expression returns nothing', async () => {
		const { error } = await update({ opens: 3 }, { keepOtherRules: '={{ $json.missing }}' });

		expect(error?.message).toContain('"Keep Other Rules" must be true or false');
		expect(service.requests).toEqual([]);
	});
});
