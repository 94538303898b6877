import { mockService } from '../../support/nock.cts';
import { describeOperationContract } from '../support/operationContract.cts';
import { describeListContract } from '../support/listContract.cts';
import { describeUserContract } from '../support/userContract.cts';

const service = mockService();

const parameters = { resource: 'container', operation: 'getAll', returnAll: true };
const entries = [
	{ org_id: 'user-1', container: { uuid: 'c-1', name: 'Envelope' } },
	{ uuid: 'c-2', name: 'Plain' },
	{ id: 3, name: null, nested: { a: [1, { b: null }] } },
];

describeOperationContract(service, {
	parameters: { ...parameters, options: { userId: '={{ $json.id }}' } },
	ids: ['user-1', 'user-2', 'user-3'],
	method: 'GET',
	path: (id) => `/users/${id}/containers`,
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
	path: (user) => `/users/${user}/containers`,
	response: entries,
});

describeListContract(service, {
	resource: 'container',
	path: 'containers',
	entries,
	scalarKey: 'uuid',
});
