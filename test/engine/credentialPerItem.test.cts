import { runNode } from '../support/engine.cts';
import { mockService } from '../support/nock.cts';
import { containerId, itemsWith, newKey } from './support/parameters.cts';

const service = mockService();

describe('a credential with an expression', () => {
	it('is resolved for each item, and so is its user', async () => {
		const { apiKey } = newKey();
		for (const id of ['a', 'b']) {
			service
				.scope()
				.matchHeader('authorization', `Bearer ${apiKey}-${id}`)
				.get('/me')
				.reply(200, { id: `user-${id}` });
			service
				.scope()
				.matchHeader('authorization', `Bearer ${apiKey}-${id}`)
				.get(`/users/user-${id}/containers/c-1`)
				.reply(200, { org_id: `user-${id}` });
		}

		const { items, error } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'getEnvelope',
				containerId: containerId('c-1'),
			},
			items: itemsWith('a', 'b'),
			credentials: { apiKey: `=${apiKey}-{{ $json.id }}` },
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.org_id)).toEqual(['user-a', 'user-b']);
	});

	it('without one is shared by all items: the user is fetched once', async () => {
		service.scope().get('/me').reply(200, { id: 'user-1' });
		for (const id of ['a', 'b'])
			service.scope().get(`/users/user-1/containers/${id}`).reply(200, { id });

		const { items } = await runNode({
			parameters: {
				resource: 'container',
				operation: 'getEnvelope',
				containerId: containerId('={{ $json.id }}'),
			},
			items: itemsWith('a', 'b'),
			credentials: newKey(),
		});

		expect(items).toHaveLength(2);
	});
});
