import { mockService } from '../../support/nock.cts';
import { describeOperationContract } from '../support/operationContract.cts';
import { describeListContract } from '../support/listContract.cts';
import { describeUserContract } from '../support/userContract.cts';

const service = mockService();

const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
const entries = [
	{ email: 'anna@example.com', first_name: 'Anna' },
	{ contact: { email: 'bob@example.com' } },
	{ email: 'grüße@exämple.com', company: null, tags: ['a', { b: 1 }] },
];

describeOperationContract(service, {
	parameters: { ...parameters, options: { userId: '={{ $json.id }}' } },
	ids: ['user-1', 'user-2', 'user-3'],
	method: 'GET',
	path: (id) => `/users/${id}/contacts`,
	response: { items: [entries[0]] },
	output: entries[0],
	errorFields: () => ({}),
	rejected: [
		['two dots', '..', /"User ID" can't be/],
		['a line end', 'a\nb', /"User ID" contains a character/],
	],
});

describeUserContract(service, {
	parameters,
	method: 'GET',
	path: (user) => `/users/${user}/contacts`,
	response: entries,
});

describeListContract(service, {
	resource: 'contact',
	path: 'contacts',
	entries,
	scalarKey: 'email',
});
