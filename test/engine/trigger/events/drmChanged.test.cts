import { mockService } from '../../../support/nock.cts';
import { containers } from '../../support/polling.cts';
import {
	describeScenarios,
	includeExisting,
	setParameters,
	listRules,
	without,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const drmChangedScenarios: Scenario[] = [
	{
		event: 'drmChanged',
		scenario: 'other rules, once; not for new and deleted containers',
		polls: [
			listRules({ a: { opens: 1 }, b: { opens: 1 }, c: {} }),
			without(listRules({ a: { opens: 1 }, b: { opens: 2 }, new: { opens: 1 } }), 'c'),
			listRules({ a: { opens: 1 }, b: { opens: 2 }, new: { opens: 1 } }),
			listRules({ a: { opens: 1 }, b: { opens: 2 }, new: {} }),
		],
		expected: [[], ['b'], [], ['new']],
	},
	{
		event: 'drmChanged',
		scenario: 'recipients, countries and keys in another order',
		polls: [
			listRules({ a: { recipients: ['x@x', 'y@y'], geo: { allow: ['AT', 'CH'] }, opens: 1 } }),
			listRules({ a: { opens: 1, geo: { allow: ['CH', 'AT'] }, recipients: ['y@y', 'x@x'] } }),
			listRules({ a: { opens: 1, geo: { allow: ['CH', 'AT'] }, recipients: ['y@y'] } }),
		],
		expected: [[], [], ['a']],
	},
	{
		event: 'drmChanged',
		scenario: 'the rules under another key of the response',
		polls: [
			listRules({ a: { opens: 1 }, b: { drm: { opens: 1 } } }),
			listRules({ a: { data: { rules: { opens: 1 } } }, b: { opens: 1 } }),
		],
		expected: [[], []],
	},
	{
		event: 'drmChanged',
		scenario: 'one of many responses with 500',
		polls: [
			listRules({ a: { opens: 1 }, b: { opens: 1 } }),
			listRules({ a: { opens: 2 }, b: { status: 500 } }),
			listRules({ a: { opens: 2 }, b: { opens: 2 } }),
		],
		expected: [[], [], ['a', 'b']],
		fails: [1],
	},
	{
		event: 'drmChanged',
		scenario: 'one deleted between list and rules',
		polls: [
			listRules({ a: { opens: 1 }, b: { opens: 1 } }),
			listRules({ a: { opens: 2 }, b: { status: 404 } }),
			without(listRules({ a: { opens: 2 } }), 'b'),
		],
		expected: [[], ['a'], []],
	},
	{
		event: 'drmChanged',
		scenario: 'a name filter: the rules of other containers are not fetched',
		parameters: { nameFilter: ' name of a* ' },
		polls: [
			{ containers: containers('a', 'b', 'ab'), rules: { a: { opens: 1 }, ab: {} } },
			{ containers: containers('a', 'b', 'ab'), rules: { a: { opens: 2 }, ab: {} } },
		],
		expected: [[], ['a']],
	},
	{
		event: 'drmChanged',
		scenario: 'another filter starts over',
		parameters: { nameFilter: 'of a' },
		polls: [
			{ containers: containers('a', 'b'), rules: { a: { opens: 1 } } },
			setParameters({ nameFilter: 'of b' }),
			{ containers: containers('a', 'b'), rules: { b: { opens: 1 } } },
			{ containers: containers('a', 'b'), rules: { b: { opens: 2 } } },
		],
		expected: [[], [], ['b']],
	},
	{
		event: 'drmChanged',
		scenario: 'another filter includes existing records again',
		parameters: { nameFilter: 'of a', ...includeExisting },
		polls: [
			{ containers: containers('a', 'b'), rules: { a: { opens: 1 } } },
			setParameters({ nameFilter: '' }),
			listRules({ a: { opens: 1 }, b: {} }),
			listRules({ a: { opens: 1 }, b: {} }),
		],
		expected: [['a'], ['a', 'b'], []],
	},
	{
		event: 'drmChanged',
		scenario: 'a list without names, which only a filter needs',
		polls: [
			{ containers: ['a'], rules: { a: { opens: 1 } } },
			{ containers: ['a'], rules: { a: { opens: 2 } } },
			setParameters({ nameFilter: 'of a' }),
			{ containers: ['a'] },
		],
		expected: [[], ['a'], []],
		fails: [2],
	},
];

describeScenarios(service, drmChangedScenarios);
