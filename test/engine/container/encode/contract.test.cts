import { mockService } from '../../../support/nock.cts';
import { base, envelope, path, settingsOf } from '../../support/encode.cts';
import { describeOperationContract } from '../../support/operationContract.cts';
import { describeUserContract } from '../../support/userContract.cts';

const service = mockService();

describeOperationContract(service, {
	parameters: base,
	ids: ['One', 'Two', 'Three'],
	method: 'POST',
	path: () => path,
	response: envelope,
	output: (name) => ({ ...envelope, settings: settingsOf(name) }),
	errorFields: (id) => ({ name: id }),
	rejected: [
		['an empty name', '', /"Container Name" is empty/],
		['a blank name', ' \n', /"Container Name" is empty/],
		['a missing field', null, /"Container Name" is empty/],
	],
});

describeUserContract(service, {
	parameters: { ...base, name: 'Invoice', recipients: 'anna@example.com' },
	method: 'POST',
	path: (user) => `/users/${user}/containers/encode`,
	response: envelope,
});
