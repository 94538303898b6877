import { runNode } from '../../support/engine.cts';
import { mockService } from '../../support/nock.cts';
import { describeOperationContract, rejectedContainers } from '../support/operationContract.cts';
import { containerId, sequential, userId } from '../support/parameters.cts';
import { describeUserContract } from '../support/userContract.cts';

const service = mockService();

const parameters = {
	resource: 'container',
	operation: 'getEnvelope',
	containerId: containerId('={{ $json.id }}'),
	options: { userId },
};
const envelope = (uuid: string) => ({ org_id: userId, container: { uuid, name: 'Invoice' } });

describeOperationContract(service, {
	parameters,
	ids: ['c-1', 'c-2', 'c-3'],
	method: 'GET',
	path: (id) => `/users/${userId}/containers/${id}`,
	response: envelope,
	output: envelope,
	errorFields: (id) => ({ containerId: id }),
	rejected: rejectedContainers,
});

const isWhole = true;

describeUserContract(
	service,
	{
		parameters: { ...parameters, containerId: containerId('c-1') },
		method: 'GET',
		path: (user) => `/users/${user}/containers/c-1`,
		response: envelope('c-1'),
	},
	isWhole,
);

describe('getting an envelope', () => {
	it('states what the service did not accept', async () => {
		service.scope().get(`/users/${userId}/containers/c-1`).reply(422, '');

		const { error } = await runNode({
			parameters: {
				...parameters,
				containerId: containerId('c-1'),
				options: { ...sequential, userId },
			},
		});

		expect(error?.message).toMatch(/the request to get the envelope of the container \[item 0\]/);
	});

	it('sends an unusual user as one segment', async () => {
		service.scope().get('/users/..u%3F1/containers/c-1').reply(200, envelope('c-1'));

		const { error } = await runNode({
			parameters: {
				...parameters,
				containerId: containerId('c-1'),
				options: { ...sequential, userId: '..u?1' },
			},
		});

		expect(error).toBeUndefined();
	});
});
