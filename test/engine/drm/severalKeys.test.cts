import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { containerId, newService } from '../support/operations.cts';

const service = mockService();
const id = '5f0c2a4e-0000-4000-8000-00000000abcd';
const rules = { dynamic: true, recipients: ['a@x.example', 'b@x.example', 'c@x.example'] };

const remove = async (credentials: object, email: string, value = id) =>
	await runNode({
		credentials,
		parameters: {
			resource: 'drm',
			operation: 'update',
			containerId: containerId(value),
			rules: { removeRecipients: email },
			options: { maxRetries: 0 },
		} as INodeParameters,
	});

it.each([
	['the same ID', id],
	['its ID in capitals', id.toUpperCase()],
])('two API keys of one service undo no change of each other: %s', async (_what, value) => {
	const states = [rules];
	let oldReads = 0;
	service
		.get(/\/drm$/)
		.times(3)
		.reply(() => [200, states.at(oldReads-- > 0 ? -2 : -1)]);
	service
		.patch(/\/drm$/)
		.twice()
		.reply((_uri, body) => {
			states.push(body as typeof rules);
			return [200, body as typeof rules];
		});
	const credentials = newService();
	await remove(credentials, 'b@x.example');
	oldReads = 1;

	const other = { ...credentials, apiKey: `${credentials.apiKey}-other` };
	const { error } = await remove(other, 'c@x.example', value);

	expect(error).toBeUndefined();
	expect(states.at(-1)?.recipients).toEqual(['a@x.example']);
});
