import { mockService } from '../../../support/nock.cts';
import {
	describeScenarios,
	listContacts,
	setParameters,
	without,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const contactChangedScenarios: Scenario[] = [
	{
		event: 'contactChanged',
		scenario: 'another value, once; not for new and deleted ones',
		polls: [
			listContacts(['a', '1'], ['b', '1'], ['c', '1']),
			without(listContacts(['a', '1'], ['b', '2'], ['new', '1']), 'c'),
			listContacts(['a', '1'], ['b', '2'], ['new', '1']),
			listContacts(['a', '1'], ['b', '1'], ['new', '2']),
		],
		expected: [[], ['b'], [], ['b', 'new']],
	},
	{
		event: 'contactChanged',
		scenario: 'an email address twice, in two forms and another order',
		polls: [
			listContacts(['A', '1'], ['a', '2']),
			listContacts(['a', '2'], ['a', '1'], ['A', '2']),
			listContacts(['a', '2'], ['A', '3']),
		],
		expected: [[], [], ['a']],
	},
	{
		event: 'contactChanged',
		scenario: 'other ignored fields start over, the same in another order do not',
		parameters: { options: { fieldsToIgnore: 'seen, visits', maxRetries: 0 } },
		polls: [
			{ contacts: [{ email: 'a', seen: 1, age: 1 }] },
			setParameters({ options: { fieldsToIgnore: 'visits, seen', maxRetries: 0 } }),
			{ contacts: [{ email: 'a', seen: 1, age: 2 }] },
			setParameters({ options: { fieldsToIgnore: 'visits', maxRetries: 0 } }),
			{ contacts: [{ email: 'a', seen: 1, age: 3 }] },
			{ contacts: [{ email: 'a', seen: 2, age: 3 }] },
		],
		expected: [[], ['a'], [], ['a']],
	},
	{
		event: 'contactChanged',
		scenario: 'a field that is empty instead of missing, a list in another order',
		polls: [
			{ contacts: [{ email: 'a', company: null, tags: ['x', { y: '' }, 'z'] }] },
			{ contacts: [{ email: 'a', phone: '', other: [], tags: ['z', 'x'] }] },
			{ contacts: [{ contact: { email: 'A@example.com', company: '', tags: ['z', 'x'] } }] },
			{ contacts: [{ email: 'a', tags: ['z', 'y'] }] },
		],
		expected: [[], [], [], ['a']],
	},
];

describeScenarios(service, contactChangedScenarios);
