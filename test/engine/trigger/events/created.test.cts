import { mockService } from '../../../support/nock.cts';
import {
	describeScenarios,
	fail,
	hiding,
	includeExisting,
	creationEvents,
	setParameters,
	without,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const createdScenarios: Scenario[] = [
	...creationEvents.flatMap(([event, list]): Scenario[] => [
		{
			event,
			scenario: 'a new one, once',
			polls: [list('a'), list('a', 'b'), list('a', 'b'), list('a', 'b', 'c')],
			expected: [[], ['b'], [], ['c']],
		},
		{
			event,
			scenario: 'existing records are included',
			parameters: includeExisting,
			polls: [list('a', 'b'), list('a', 'b'), list('a', 'b', 'c')],
			expected: [['a', 'b'], [], ['c']],
		},
		{
			event,
			scenario: 'one that disappears and returns',
			polls: [list('a', 'b'), without(list('a'), 'b'), list('a', 'b')],
			expected: [[], [], ['b']],
		},
		{
			event,
			scenario: 'a list that is temporarily empty',
			polls: [list('a', 'b'), hiding(list(), 'a', 'b'), list('a', 'b', 'c')],
			expected: [[], [], ['c']],
		},
		{
			event,
			scenario: 'a failed poll, with one created meanwhile',
			polls: [list('a'), fail(list('a')), list('a', 'b'), list('a', 'b')],
			expected: [[], [], ['b'], []],
			fails: [1],
		},
		{
			event,
			scenario: 'the first poll fails',
			polls: [fail(list('a')), list('a'), list('a', 'b')],
			expected: [[], [], ['b']],
			fails: [0],
		},
		{
			event,
			scenario: 'another event is selected',
			polls: [
				list('a'),
				setParameters({
					event: event === 'contactCreated' ? 'contactDeleted' : 'containerDeleted',
				}),
				list('b'),
				list('b', 'c'),
				without(list('c'), 'b'),
			],
			expected: [[], [], [], ['b']],
		},
	]),
	{
		event: 'containerCreated',
		scenario: 'an ID that differs in capitals only',
		polls: [{ containers: ['a'] }, { containers: ['a', 'A'] }],
		expected: [[], ['A']],
	},
	{
		event: 'containerCreated',
		scenario: 'nulls and entries without an id',
		polls: [
			{ containers: [null, { uuid: 'a' }] },
			{ containers: [{ name: 'no id' }, { uuid: 'a' }, null, {}, { uuid: 'b' }, null] },
		],
		expected: [[], ['b']],
	},
];

describeScenarios(service, createdScenarios);
