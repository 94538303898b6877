import { mockService } from '../../support/nock.cts';
import { createIds } from '../support/polling.cts';
import {
	creationEvents,
	describeScenarios,
	listContacts,
	without,
	type Scenario,
} from '../support/scenarios.cts';

const ids = createIds(1000);
const listVersion = (version: string) =>
	listContacts(...ids.map((id): [string, string] => [id, version]));

const bursts: Scenario[] = [
	...creationEvents.flatMap(([event, list]): Scenario[] => [
		{
			event,
			scenario: 'a burst of 1,000',
			polls: [list('a'), list('a', ...ids), list(...[...ids].reverse(), 'a')],
			expected: [[], ids, []],
		},
		{
			event: event.replace('Created', 'Deleted'),
			scenario: 'a burst of 1,000',
			polls: [list(...ids, 'z'), without(list('z'), ...ids), list('z')],
			expected: [[], ids, []],
		},
	]),
	{
		event: 'contactChanged',
		scenario: '1,000 at once',
		polls: [listVersion('1'), listVersion('2'), listVersion('2')],
		expected: [[], ids, []],
	},
];

describeScenarios(mockService(), bursts);
