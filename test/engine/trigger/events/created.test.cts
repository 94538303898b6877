import { mockService } from '../../../support/nock.cts';
import { manyIds } from '../../support/polling.cts';
import {
	describeScenarios,
	failing,
	includeExisting,
	news,
	set,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const createdScenarios: Scenario[] = [
	...news.flatMap(([event, make]): Scenario[] => [
		{
			event,
			scenario: 'the first poll emits nothing',
			polls: [make('a', 'b'), make('a', 'b')],
			expected: [[], []],
		},
		{
			event,
			scenario: 'a new one, once',
			polls: [make('a'), make('a', 'b'), make('a', 'b'), make('a', 'b', 'c')],
			expected: [[], ['b'], [], ['c']],
		},
		{
			event,
			scenario: 'the very first one',
			polls: [make(), make('a'), make('a')],
			expected: [[], ['a'], []],
		},
		{
			event,
			scenario: 'existing records are included',
			parameters: includeExisting,
			polls: [make('a', 'b'), make('a', 'b'), make('a', 'b', 'c')],
			expected: [['a', 'b'], [], ['c']],
		},
		{
			event,
			scenario: 'the list in another order',
			polls: [make('a', 'b', 'c'), make('c', 'b', 'a'), make('b', 'new', 'c', 'a')],
			expected: [[], [], ['new']],
		},
		{
			event,
			scenario: 'one twice in the list',
			polls: [make('a', 'a'), make('a', 'b', 'a', 'b'), make('b', 'a')],
			expected: [[], ['b'], []],
		},
		{
			event,
			scenario: 'one that disappears and returns',
			polls: [make('a', 'b'), make('a'), make('a', 'b')],
			expected: [[], [], ['b']],
		},
		{
			event,
			scenario: 'a burst of 1,000',
			polls: [make('a'), make('a', ...manyIds(1000)), make(...manyIds(1000).reverse(), 'a')],
			expected: [[], manyIds(1000), []],
		},
		{
			event,
			scenario: 'a failed poll, with one created meanwhile',
			polls: [make('a'), failing(make('a')), make('a', 'b'), make('a', 'b')],
			expected: [[], [], ['b'], []],
			fails: [1],
		},
		{
			event,
			scenario: 'the first poll fails',
			polls: [failing(make('a')), make('a'), make('a', 'b')],
			expected: [[], [], ['b']],
			fails: [0],
		},
		{
			event,
			scenario: 'another event is selected',
			polls: [
				make('a'),
				set({ event: event === 'contactCreated' ? 'contactDeleted' : 'containerDeleted' }),
				make('b'),
				make('b', 'c'),
				make('c'),
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
		scenario: 'nulls and entries without an id',
		polls: [
			{ containers: [null, { uuid: 'a' }] },
			{ containers: [{ name: 'no id' }, { uuid: 'a' }, null, {}, { uuid: 'b' }, null] },
		],
		expected: [[], ['b']],
	},
];

describeScenarios(service, createdScenarios);
