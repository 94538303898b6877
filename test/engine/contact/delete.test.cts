import { mockService } from '../../support/nock.cts';
import { promisesOfDeletion } from '../support/deletion.cts';
import {
	promisesOfEveryOperation,
	refusedContacts,
	unusualContacts,
} from '../support/everyOperation.cts';
import { contactEmail, userId } from '../support/parameters.cts';
import { promisesOfTheUser } from '../support/userOfTheKey.cts';

const service = mockService();

const parameters = {
	resource: 'contact',
	operation: 'delete',
	contactEmail: contactEmail('={{ $json.id }}'),
	options: { userId },
};

promisesOfEveryOperation(service, {
	parameters,
	ids: ['a@example.com', 'b@example.com', 'c@example.com'],
	method: 'DELETE',
	path: (id) => `/users/${userId}/contacts/${encodeURIComponent(id)}`,
	answer: { email: 'a@example.com' },
	outcome: { deleted: true },
	identity: (id) => ({ contactEmail: id }),
	refused: refusedContacts('Contact'),
});

promisesOfTheUser(service, {
	parameters: { ...parameters, contactEmail: contactEmail('anna@example.com') },
	method: 'DELETE',
	path: (user) => `/users/${user}/contacts/anna%40example.com`,
	answer: { message: 'Deleted' },
});

promisesOfDeletion(service, {
	parameters,
	path: (segment) => `/users/${userId}/contacts/${segment}`,
	id: 'anna@example.com',
	notFound: 'The contact "anna@example.com" was not found',
	unusual: unusualContacts,
});
