import { mockService } from '../../../support/nock.cts';
import { dayFromNow } from '../../support/polling.cts';
import {
	describeScenarios,
	ending,
	includeExisting,
	LATER,
	set,
	TOMORROW,
	withRules,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const accessEndingScenarios: Scenario[] = [
	{
		event: 'accessEnding',
		scenario: 'an end that approaches, once',
		polls: [
			ending({ a: LATER }),
			ending({ a: LATER, b: TOMORROW }),
			ending({ a: TOMORROW, b: TOMORROW }),
			ending({ a: TOMORROW, b: TOMORROW }),
		],
		expected: [[], ['b'], ['a'], []],
	},
	{
		event: 'accessEnding',
		scenario: 'an end that is postponed, and approaches again',
		polls: [
			ending({ a: LATER }),
			ending({ a: TOMORROW }),
			ending({ a: dayFromNow(2, 'UTC') }),
			ending({ a: LATER }),
			ending({ a: TOMORROW }),
		],
		expected: [[], ['a'], ['a'], [], ['a']],
	},
	{
		event: 'accessEnding',
		scenario: 'access that has ended, has no end, or an invalid one',
		polls: [
			ending({ a: LATER }),
			{
				...withRules({
					a: { time: { end: dayFromNow(-1, 'UTC') } },
					b: { opens: 1 },
					c: {},
					d: { time: { end: 'soon' } },
					e: { time: { start: TOMORROW } },
				}),
			},
		],
		expected: [[], []],
	},
	{
		event: 'accessEnding',
		scenario: 'existing records are included',
		parameters: includeExisting,
		polls: [ending({ a: TOMORROW, b: LATER }), ending({ a: TOMORROW, b: TOMORROW })],
		expected: [['a'], ['b']],
	},
	{
		event: 'accessEnding',
		scenario: 'more days: new matches, once',
		polls: [
			ending({ a: TOMORROW, b: LATER }),
			set({ withinDays: 40 }),
			ending({ a: TOMORROW, b: LATER }),
			ending({ a: TOMORROW, b: LATER }),
		],
		expected: [[], ['b'], []],
	},
	{
		event: 'accessEnding',
		scenario: 'one of many responses with 500',
		polls: [
			ending({ a: LATER, b: LATER }),
			withRules({ a: { time: { end: TOMORROW } }, b: { status: 500 } }),
			ending({ a: TOMORROW, b: LATER }),
		],
		expected: [[], [], ['a']],
		fails: [1],
	},
	{
		event: 'accessEnding',
		scenario: 'a list that is temporarily empty',
		polls: [
			ending({ a: TOMORROW, b: LATER }),
			{ containers: { status: 200, body: [] }, times: 2 },
			ending({ a: LATER, b: LATER }),
		],
		expected: [[], [], []],
	},
];

describeScenarios(service, accessEndingScenarios);
