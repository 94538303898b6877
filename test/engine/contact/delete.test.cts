import { mockService } from '../../support/nock.cts';
import { describeDeletionContract } from '../support/deletionContract.cts';
import { describeOperationContract, rejectedContacts } from '../support/operationContract.cts';
import { contactEmail, userId } from '../support/parameters.cts';
import { describeUserContract } from '../support/userContract.cts';

const service = mockService();

const parameters = {
	resource: 'contact',
	operation: 'delete',
	contactEmail: contactEmail('={{ $json.id }}'),
	options: { userId },
};

describeOperationContract(service, {
	parameters,
	ids: ['a@example.com', 'b@example.com', 'c@example.com'],
	method: 'DELETE',
	path: (id) => `/users/${userId}/contacts/${encodeURIComponent(id)}`,
	response: { message: 'Deleted' },
	output: (email) => ({ deleted: true, email }),
	errorFields: (id) => ({ contactEmail: id }),
	rejected: rejectedContacts('Contact'),
});

describeUserContract(service, {
	parameters: { ...parameters, contactEmail: contactEmail('anna@example.com') },
	method: 'DELETE',
	path: (user) => `/users/${user}/contacts/anna%40example.com`,
	response: { message: 'Deleted' },
});

describeDeletionContract(service, {
	parameters,
	path: (segment) => `/users/${userId}/contacts/${segment}`,
	id: 'anna@example.com',
	idField: 'email',
	notFound: 'The contact "anna@example.com" was not found',
});
