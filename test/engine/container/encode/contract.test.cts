import { mockService } from '../../../support/nock.cts';
import { base, envelope, path } from '../../support/encode.cts';
import { promisesOfEveryOperation } from '../../support/everyOperation.cts';
import { promisesOfTheUser } from '../../support/userOfTheKey.cts';

const service = mockService();

promisesOfEveryOperation(service, {
	parameters: base,
	ids: ['One', 'Two', 'Three'],
	method: 'POST',
	path: () => path,
	answer: envelope,
	outcome: envelope,
	identity: (id) => ({ name: id }),
	refused: [
		['an empty name', '', /"Container Name" is empty/],
		['a blank name', ' \n', /"Container Name" is empty/],
		['a missing field', null, /"Container Name" is empty/],
	],
});

promisesOfTheUser(service, {
	parameters: { ...base, name: 'Invoice' },
	method: 'POST',
	path: (user) => `/users/${user}/containers/encode`,
	answer: envelope,
});
