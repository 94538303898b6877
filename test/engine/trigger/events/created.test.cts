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
			scenario: 'the first poll emits nothing',
			polls: [list('a', 'b'), list('a', 'b')],
			expected: [[], []],
		},
		{
			event,
			scenario: 'a new one, once',
			polls: [list('a'), list('a', 'b'), list('a', 'b'), list('a', 'b', 'c')],
			expected: [[], ['b'], [], ['c']],
		},
		{
			event,
			scenario: 'the very first one',
			polls: [list(), list('a'), list('a')],
			expected: [[], ['a'], []],
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
			scenario: 'the list in another order',
			polls: [list('a', 'b', 'c'), list('c', 'b', 'a'), list('b', 'new', 'c', 'a')],
			expected: [[], [], ['new']],
		},
		{
			event,
			scenario: 'one twice in the list',
			polls: [list('a', 'a'), list('a', 'b', 'a', 'b'), list('b', 'a')],
			expected: [[], ['b'], []],
		},
		{
			event,
			scenario: 'one that disappears and returns',
			polls: [list('a', 'b'), without(list('a'), 'b'), list('a', 'b')],
			expected: [[], [], ['b']],
		},
		{
			event,
			scenario: 'one that the list misses for a while',
			polls: [list('a', 'b'), hiding(list('a'), 'b'), list('a', 'b')],
			expected: [[], [], []],
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
		scenario: 'the same timestamp on all',
		polls: [
			{ containers: [{ uuid: 'a', created_date: '2026-01-01T00:00:00.000Z' }] },
			{
				containers: ['a', 'b', 'c'].map((uuid) => ({
					uuid,
					created_date: '2026-01-01T00:00:00.000Z',
				})),
			},
			{ containers: [{ uuid: 'c' }, { uuid: 'b' }, { uuid: 'a' }] },
		],
		expected: [[], ['b', 'c'], []],
	},
	{
		event: 'containerCreated',
		scenario: 'an ID that differs in capitals only',
		polls: [{ containers: ['a'] }, { containers: ['a', 'A'] }],
		expected: [[], ['A']],
	},
	{
		event: 'containerCreated',
		scenario: 'several at once, in the order of the list',
		polls: [
			{ containers: [] },
			{
				containers: [
					{ uuid: 'a', created_date: '2026-01-02' },
					{ uuid: 'b', created_date: '2026-01-03' },
					{ uuid: 'c', created_date: '2026-01-01' },
				],
			},
		],
		expected: [[], ['a', 'b', 'c']],
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
