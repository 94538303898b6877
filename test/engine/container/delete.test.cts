import { mockService } from '../../support/nock.cts';
import { describeOperationContract, rejectedContainers } from '../support/operationContract.cts';
import { describeDeletionContract } from '../support/deletionContract.cts';
import { containerId } from '../support/parameters.cts';

const service = mockService();

const parameters = {
	resource: 'container',
	operation: 'delete',
	containerId: containerId('={{ $json.id }}'),
	options: {},
};

describeOperationContract(service, {
	parameters,
	ids: ['c-1', 'c-2', 'c-3'],
	method: 'DELETE',
	path: (id) => `/containers/${id}`,
	response: { message: 'Deleted' },
	output: (id) => ({ deleted: true, containerId: id }),
	errorFields: (id) => ({ containerId: id }),
	rejected: rejectedContainers,
});

describeDeletionContract(service, {
	parameters,
	path: (segment) => `/containers/${segment}`,
	id: 'c-1',
	idField: 'containerId',
	notFound: 'The container "c-1" was not found',
});
