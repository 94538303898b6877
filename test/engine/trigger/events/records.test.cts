import { mockService } from '../../../support/nock.cts';
import {
	createIds,
	creationEvents,
	describeScenarios,
	fail,
	hiding,
	includeExisting,
	listContacts,
	setParameters,
	without,
	type Scenario,
} from '../../support/polling.cts';

const service = mockService();
const ids = createIds(12);

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
			scenario: 'a list that is temporarily empty',
			polls: [list('a', 'b'), hiding(list(), 'a', 'b'), list('a', 'b', 'c')],
			expected: [[], [], ['c']],
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
			polls: [
				list('a'),
				setParameters({ event: deletion }),
				list('b'),
				list('b', 'c'),
				without(list('c'), 'b'),
			],
			expected: [[], [], [], ['b']],
		},
		{
			event: deletion,
			scenario: 'one that the list misses for a while',
			polls: [list('a', 'b'), hiding(list('a'), 'b'), list('b', 'a'), without(list('a'), 'b')],
			expected: [[], [], [], ['b']],
		},
		{
			event: deletion,
			scenario: 'many missing: a few are looked for, others in the next poll',
			polls: [
				list(...ids),
				hiding(list(), ...ids.slice(0, 10)),
				{ ...without(list(), ...ids.slice(10)), existing: ids.slice(0, 10) },
				hiding(list(), ...ids.slice(0, 10)),
			],
			expected: [[], [], ids.slice(10), []],
		},
		{
			event: deletion,
			scenario: 'one that is gone (410), one that the user cannot see any more (403)',
			polls: [
				list('a', 'b', 'c'),
				{ ...list('c'), confirmations: { a: { status: 410 }, b: { status: 403 } } },
				without(list('c'), 'b'),
			],
			expected: [[], ['a'], ['b']],
		},
	];
});

const uuid = '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90';

describeScenarios(service, [
	...scenarios,
	{
		event: 'containerCreated',
		scenario: 'an ID that differs in capitals only, nulls and entries without an ID',
		polls: [
			{ containers: [null, { uuid: 'a' }] },
			{ containers: [{ name: 'no id' }, { uuid: 'a' }, null, {}, { uuid: 'A' }, null] },
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
			setParameters({ options: { fieldsToIgnore: 'Visits, SEEN', maxRetries: 0 } }),
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
]);
