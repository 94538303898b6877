import { mockService } from '../../support/nock.cts';
import { promisesOfEveryOperation } from '../support/everyOperation.cts';
import { promisesOfLists } from '../support/lists.cts';
import { promisesOfTheUser } from '../support/userOfTheKey.cts';

const service = mockService();

const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
const entries = [
	{ email: 'anna@example.com', first_name: 'Anna' },
	{ contact: { email: 'bob@example.com' } },
	{ email: 'grüße@exämple.com', company: null, tags: ['a', { b: 1 }] },
];

promisesOfEveryOperation(service, {
	parameters: { ...parameters, options: { userId: '={{ $json.id }}' } },
	ids: ['user-1', 'user-2', 'user-3'],
	method: 'GET',
	path: (id) => `/users/${id}/contacts`,
	answer: { items: [entries[0]] },
	outcome: entries[0],
	identity: () => ({}),
	refused: [
		['two dots', '..', /"User ID" cannot be/],
		['a line end', 'a\nb', /"User ID" holds a character/],
	],
});

promisesOfTheUser(service, {
	parameters,
	method: 'GET',
	path: (user) => `/users/${user}/contacts`,
	answer: entries,
});

promisesOfLists(service, {
	resource: 'contact',
	path: 'contacts',
	entries,
	nameOfBare: 'email',
});
