import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { base as encode, envelope, path as encodePath } from './support/encode.cts';
import { containerId, newKey, userId } from './support/operations.cts';

const service = mockService();
const { apiKey } = newKey();

describe('the API key', () => {
	it('is in the Authorization header of each request and nowhere else', async () => {
		const scope = service.scope();
		scope.get('/me').reply(200, { id: userId });
		scope.post(encodePath).reply(200, envelope);
		scope.get(`/users/${userId}/contacts`).reply(200, []);
		scope.patch('/containers/c-1/drm').reply(204);
		scope.delete('/containers/c-1').reply(204);
		const operations: INodeParameters[] = [
			{ resource: 'user', operation: 'getMe' },
			{ ...encode, name: 'Invoice' },
			{ resource: 'contact', operation: 'getAll', returnAll: true, options: { userId } },
			{
				resource: 'drm',
				operation: 'update',
				containerId: containerId('c-1'),
				rules: { opens: 1 },
				options: { keepOtherRules: false },
			},
			{ resource: 'container', operation: 'delete', containerId: containerId('c-1') },
		];

		for (const parameters of operations) {
			await runNode({ parameters, credentials: { apiKey } });
		}

		expect(service.requests).toHaveLength(operations.length);
		for (const { headers, ...request } of service.requests) {
			const { authorization, ...others } = headers;
			expect(authorization).toBe(`Bearer ${apiKey}`);
			expect(JSON.stringify([request, others])).not.toContain(apiKey);
		}
	});
});
