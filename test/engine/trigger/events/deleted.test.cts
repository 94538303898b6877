import { mockService } from '../../../support/nock.cts';
import { createIds } from '../../support/polling.cts';
import {
	describeScenarios,
	fail,
	listContainers,
	includeExisting,
	creationEvents,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const deletedScenarios: Scenario[] = [
	...['containerDeleted', 'contactDeleted'].flatMap((event): Scenario[] => {
		const list = event === 'contactDeleted' ? creationEvents[1][1] : listContainers;
		return [
			{
				event,
				scenario: 'one and then two deleted, once',
				polls: [list('a', 'b', 'c'), list('a', 'c'), list('a', 'c'), list('new')],
				expected: [[], ['b'], [], ['a', 'c']],
			},
			{
				event,
				scenario: 'all deleted, confirmed by a second request',
				polls: [list('a', 'b'), { ...list(), times: 2 }, list(), list('c')],
				expected: [[], ['a', 'b'], [], []],
			},
			{
				event,
				scenario: 'one that was created and deleted',
				polls: [list('a'), list('a', 'b'), list('a')],
				expected: [[], [], ['b']],
			},
			{
				event,
				scenario: 'the list in another order',
				polls: [list('a', 'b', 'c'), list('c', 'a', 'b')],
				expected: [[], []],
			},
			{
				event,
				scenario: 'a burst of 1,000',
				polls: [list(...createIds(1000), 'z'), list('z'), list('z')],
				expected: [[], createIds(1000), []],
			},
			{
				event,
				scenario: 'existing records are never included',
				parameters: includeExisting,
				polls: [list('a', 'b'), list('a')],
				expected: [[], ['b']],
			},
			{
				event,
				scenario: 'a failed poll, with one deleted meanwhile',
				polls: [list('a', 'b'), fail(list()), list('a')],
				expected: [[], [], ['b']],
				fails: [1],
			},
		];
	}),
];

describeScenarios(service, deletedScenarios);
