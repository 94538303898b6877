import { mockService } from '../../support/nock.cts';
import { promisesOfEveryOperation } from '../support/everyOperation.cts';
import { promisesOfLists } from '../support/lists.cts';
import { promisesOfTheUser } from '../support/userOfTheKey.cts';

const service = mockService();

const parameters = { resource: 'container', operation: 'getAll', returnAll: true };
const entries = [
	{ org_id: 'user-1', container: { uuid: 'c-1', name: 'Envelope' } },
	{ uuid: 'c-2', name: 'Plain' },
	{ id: 3, name: null, nested: { a: [1, { b: null }] } },
];

promisesOfEveryOperation(service, {
	parameters: { ...parameters, options: { userId: '={{ $json.id }}' } },
	ids: ['user-1', 'user-2', 'user-3'],
	method: 'GET',
	path: (id) => `/users/${id}/containers`,
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
	path: (user) => `/users/${user}/containers`,
	answer: entries,
});

promisesOfLists(service, {
	resource: 'container',
	path: 'containers',
	entries,
	nameOfBare: 'uuid',
});
