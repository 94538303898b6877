import { mockService } from '../../../support/nock.cts';
import { containers, dayFromNow } from '../../support/polling.cts';
import {
	describeScenarios,
	hiding,
	listEnds,
	includeExisting,
	LATER,
	setParameters,
	TOMORROW,
	listRules,
	type Scenario,
} from '../../support/scenarios.cts';

const service = mockService();

const accessEndingScenarios: Scenario[] = [
	{
		event: 'accessEnding',
		scenario: 'an end that approaches, once',
		polls: [
			listEnds({ a: LATER }),
			listEnds({ a: LATER, b: TOMORROW }),
			listEnds({ a: TOMORROW, b: TOMORROW }),
			listEnds({ a: TOMORROW, b: TOMORROW }),
		],
		expected: [[], ['b'], ['a'], []],
	},
	{
		event: 'accessEnding',
		scenario: 'an end that is postponed, and approaches again',
		polls: [
			listEnds({ a: LATER }),
			listEnds({ a: TOMORROW }),
			listEnds({ a: dayFromNow(2, 'UTC') }),
			listEnds({ a: LATER }),
			listEnds({ a: TOMORROW }),
		],
		expected: [[], ['a'], ['a'], [], ['a']],
	},
	{
		event: 'accessEnding',
		scenario: 'access that has ended, has no end, or an invalid one',
		polls: [
			listEnds({ a: LATER }),
			{
				...listRules({
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
		polls: [listEnds({ a: TOMORROW, b: LATER }), listEnds({ a: TOMORROW, b: TOMORROW })],
		expected: [['a'], ['b']],
	},
	{
		event: 'accessEnding',
		scenario: 'more days: new matches, once',
		polls: [
			listEnds({ a: TOMORROW, b: LATER }),
			setParameters({ withinDays: 40 }),
			listEnds({ a: TOMORROW, b: LATER }),
			listEnds({ a: TOMORROW, b: LATER }),
		],
		expected: [[], ['b'], []],
	},
	{
		event: 'accessEnding',
		scenario: 'another filter starts over',
		parameters: { nameFilter: 'of a' },
		polls: [
			{ ...listEnds({ a: TOMORROW }), containers: containers('a', 'b') },
			setParameters({ nameFilter: 'of b' }),
			{ ...listEnds({ b: TOMORROW }), containers: containers('a', 'b') },
		],
		expected: [[], []],
	},
	{
		event: 'accessEnding',
		scenario: 'one of many responses with 500',
		polls: [
			listEnds({ a: LATER, b: LATER }),
			listRules({ a: { time: { end: TOMORROW } }, b: { status: 500 } }),
			listEnds({ a: TOMORROW, b: LATER }),
		],
		expected: [[], [], ['a']],
		fails: [1],
	},
	{
		event: 'accessEnding',
		scenario: 'an end that cannot be read for a while, once',
		polls: [
			listEnds({ a: LATER, b: LATER }),
			listEnds({ a: TOMORROW, b: LATER }),
			listEnds({ a: 'soon', b: LATER }),
			listEnds({ a: TOMORROW, b: LATER }),
		],
		expected: [[], ['a'], [], []],
	},
	{
		event: 'accessEnding',
		scenario: 'a list that is temporarily empty',
		polls: [
			listEnds({ a: TOMORROW, b: LATER }),
			hiding({ containers: { status: 200, body: [] } }, 'a'),
			listEnds({ a: LATER, b: LATER }),
		],
		expected: [[], [], []],
	},
];

describeScenarios(service, accessEndingScenarios);
