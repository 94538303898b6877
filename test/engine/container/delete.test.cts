import { mockService } from '../../support/nock.cts';
import {
	promisesOfEveryOperation,
	refusedContainers,
	unusualContainers,
} from '../support/everyOperation.cts';
import { promisesOfDeletion } from '../support/deletion.cts';
import { containerId } from '../support/parameters.cts';

const service = mockService();

const parameters = {
	resource: 'container',
	operation: 'delete',
	containerId: containerId('={{ $json.id }}'),
	options: {},
};

promisesOfEveryOperation(service, {
	parameters,
	ids: ['c-1', 'c-2', 'c-3'],
	method: 'DELETE',
	path: (id) => `/containers/${id}`,
	answer: { org_id: 'user-1', container: { uuid: 'c-1' } },
	outcome: { deleted: true },
	identity: (id) => ({ containerId: id }),
	refused: refusedContainers,
});

promisesOfDeletion(service, {
	parameters,
	path: (segment) => `/containers/${segment}`,
	id: 'c-1',
	notFound: 'The container "c-1" was not found',
	unusual: unusualContainers,
});
