import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { describeOperationContract } from '../support/operationContract.cts';
import { itemsWith, sequential } from '../support/parameters.cts';

const service = mockService();

const parameters = { resource: 'user', operation: 'getMe', options: {} };
const user = { id: 'user-1', role: 'member', email: 'ada@example.com', further: { a: [1] } };

describeOperationContract(service, {
	parameters,
	ids: ['1', '2', '3'],
	method: 'GET',
	path: () => '/me',
	response: user,
	output: user,
	errorFields: () => ({}),
});

describe('getting the user of the API key', () => {
	it('fails when the service does not know the endpoint', async () => {
		service.scope().get('/me').reply(404);

		const { error } = await runNode({ parameters: { ...parameters, options: sequential } });

		expect(error?.message).toMatch(/^Nothing found here/);
	});

	it('sends a request for each item, without the cached user', async () => {
		service.scope().get('/me').times(2).reply(200, user);

		const { items } = await runNode({ parameters, items: itemsWith('1', '2') });

		expect(items.map(({ json }) => json)).toEqual([user, user]);
	});
});
