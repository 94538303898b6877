import { mockService } from '../../../support/nock.cts';
import { manyIds } from '../../support/polling.cts';
import {
	describeScenarios,
	failing,
	ids,
	includeExisting,
	news,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const deletedScenarios: Scenario[] = [
	...['containerDeleted', 'contactDeleted'].flatMap((event): Scenario[] => {
		const make = event === 'contactDeleted' ? news[1][1] : ids;
		return [
			{
				event,
				scenario: 'one and then two deleted, once',
				polls: [make('a', 'b', 'c'), make('a', 'c'), make('a', 'c'), make('new')],
				expected: [[], ['b'], [], ['a', 'c']],
			},
			{
				event,
				scenario: 'all deleted, confirmed by a second request',
				polls: [make('a', 'b'), { ...make(), times: 2 }, make(), make('c')],
				expected: [[], ['a', 'b'], [], []],
			},
			{
				event,
				scenario: 'one that was created and deleted',
				polls: [make('a'), make('a', 'b'), make('a')],
				expected: [[], [], ['b']],
			},
			{
				event,
				scenario: 'the list in another order',
				polls: [make('a', 'b', 'c'), make('c', 'a', 'b')],
				expected: [[], []],
			},
			{
				event,
				scenario: 'a burst of 1,000',
				polls: [make(...manyIds(1000), 'z'), make('z'), make('z')],
				expected: [[], manyIds(1000), []],
			},
			{
				event,
				scenario: 'existing records are never included',
				parameters: includeExisting,
				polls: [make('a', 'b'), make('a')],
				expected: [[], ['b']],
			},
			{
				event,
				scenario: 'a failed poll, with one deleted meanwhile',
				polls: [make('a', 'b'), failing(make()), make('a')],
				expected: [[], [], ['b']],
				fails: [1],
			},
		];
	}),
];

describeScenarios(service, deletedScenarios);
