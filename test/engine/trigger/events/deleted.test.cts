import { mockService } from '../../../support/nock.cts';
import { createIds } from '../../support/polling.cts';
import {
	describeScenarios,
	fail,
	listContainers,
	hiding,
	includeExisting,
	creationEvents,
	without,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();
const ids = createIds(12);

const deletedScenarios: Scenario[] = [
	...['containerDeleted', 'contactDeleted'].flatMap((event): Scenario[] => {
		const list = event === 'contactDeleted' ? creationEvents[1][1] : listContainers;
		return [
			{
				event,
				scenario: 'one and then two deleted, once',
				polls: [
					list('a', 'b', 'c'),
					without(list('a', 'c'), 'b'),
					list('a', 'c'),
					without(list('new'), 'a', 'c'),
				],
				expected: [[], ['b'], [], ['a', 'c']],
			},
			{
				event,
				scenario: 'all deleted',
				polls: [list('a', 'b'), without(list(), 'a', 'b'), list(), list('c')],
				expected: [[], ['a', 'b'], [], []],
			},
			{
				event,
				scenario: 'existing records are never included',
				parameters: includeExisting,
				polls: [list('a', 'b'), without(list('a'), 'b')],
				expected: [[], ['b']],
			},
			{
				event,
				scenario: 'a failed poll, with one deleted meanwhile',
				polls: [list('a', 'b'), fail(list()), without(list('a'), 'b')],
				expected: [[], [], ['b']],
				fails: [1],
			},
			{
				event,
				scenario: 'one that the list misses for a while',
				polls: [list('a', 'b'), hiding(list('a'), 'b'), list('b', 'a'), without(list('a'), 'b')],
				expected: [[], [], [], ['b']],
			},
			{
				event,
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
				event,
				scenario: 'one that is gone (410), one that the user cannot see any more (403)',
				polls: [
					list('a', 'b', 'c'),
					{ ...list('c'), confirmations: { a: { status: 410 }, b: { status: 403 } } },
					without(list('c'), 'b'),
				],
				expected: [[], ['a'], ['b']],
			},
		];
	}),
];

describeScenarios(service, deletedScenarios);
