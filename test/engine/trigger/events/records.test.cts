import { mockService } from '../../../support/nock.cts';
import {
	creationEvents,
	describeScenarios,
	fail,
	includeExisting,
	listContacts,
	setParameters,
	type Scenario,
} from '../../support/polling.cts';

const service = mockService();

// The unit tests of `compare` know all histories of lists that show everything.
const scenarios = creationEvents.flatMap(([event, list]): Scenario[] => {
	const deletion = event.replace('Created', 'Deleted');
	return [
		{
			event,
			scenario: 'existing records are included, each once',
			parameters: includeExisting,
			polls: [list('a', 'b'), list('a', 'b'), list('a', 'b', 'c')],
			expected: [['a', 'b'], [], ['c']],
		},
		{
			event,
			scenario: 'failed polls, with one created meanwhile',
			polls: [fail(list('a')), list('a'), fail(list('a')), list('a', 'b'), list('a', 'b')],
			expected: [[], [], [], ['b'], []],
			fails: [0, 2],
		},
		{
			event,
			scenario: 'another event is selected',
			polls: [list('a'), setParameters({ event: deletion }), list('b'), list('b', 'c'), list('c')],
			expected: [[], [], [], ['b']],
		},
		{
			event: deletion,
			scenario: 'all at once, and again after they came back',
			polls: [list('a', 'b'), list(), list('a'), list()],
			expected: [[], ['a', 'b'], [], ['a']],
		},
		{
			event: deletion,
			scenario: 'failed polls, with one deleted meanwhile',
			polls: [list('a', 'b'), fail(list('a')), list('b'), list('b')],
			expected: [[], [], ['a'], []],
			fails: [1],
		},
	];
});

const uuid = '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90';

describeScenarios(service, [
	...scenarios,
	{
		event: 'containerCreated',
		scenario: 'an ID that differs in capitals only, and nulls',
		polls: [
			{ containers: [null, { uuid: 'a' }] },
			{ containers: [{ uuid: 'a' }, null, { uuid: 'A' }, null] },
		],
		expected: [[], ['A']],
	},
	{
		event: 'containerCreated',
		scenario: 'a UUID that was there in capitals is no event',
		polls: [{ containers: [{ uuid }] }, { containers: [{ uuid: uuid.toUpperCase() }] }],
		expected: [[], []],
	},
	{
		event: 'contactChanged',
		scenario: 'another value, once; not for new and deleted ones',
		polls: [
			listContacts(['a', '1'], ['b', '1'], ['c', '1']),
			listContacts(['a', '1'], ['b', '2'], ['new', '1']),
			listContacts(['a', '1'], ['b', '2'], ['new', '1']),
			listContacts(['a', '1'], ['b', '1'], ['new', '2']),
		],
		expected: [[], ['b'], [], ['b', 'new']],
	},
	{
		event: 'contactChanged',
		scenario: 'not other capitals of the address, or only another date of the last change',
		polls: [
			{ contacts: [{ email: 'a', updated_date: '2026-01-01' }] },
			{ contacts: [{ email: 'A', updated_date: '2026-01-02' }] },
		],
		expected: [[], []],
	},
	{
		event: 'contactChanged',
		scenario: 'other ignored fields start over',
		parameters: { options: { fieldsToIgnore: 'seen, visits', maxRetries: 0 } },
		polls: [
			{ contacts: [{ email: 'a', seen: 1, age: 1 }] },
			{ contacts: [{ email: 'a', seen: 2, visits: 1, age: 2 }] },
			{ contacts: [{ email: 'a', seen: 3, visits: 2, age: 2 }] },
			setParameters({ options: { fieldsToIgnore: 'visits', maxRetries: 0 } }),
			{ contacts: [{ email: 'a', seen: 1, age: 3 }] },
			{ contacts: [{ email: 'a', seen: 2, age: 3 }] },
		],
		expected: [[], ['a'], [], [], ['a']],
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
]);
