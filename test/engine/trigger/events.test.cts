import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { mockService } from '../../support/nock.cts';
import {
	containers,
	dayFromNow,
	manyIds,
	Polling,
	type Answers,
	type Poll,
} from '../support/polling.cts';
import { eventTable } from '../support/table.cts';

const service = mockService();
const table = eventTable('Scenarios of the trigger');

const TOMORROW = dayFromNow(1, 'UTC');
const LATER = dayFromNow(40, 'UTC');

interface Scenario {
	event: string;
	scenario: string;
	parameters?: INodeParameters;
	/** What the service answers at each poll; a function is done in between. */
	polls: Array<Answers | ((polling: Polling) => void)>;
	/** What each poll emits: identifiers or addresses. */
	expected: string[][];
	/** Which polls fail; they emit nothing and must leave the memory as it was. */
	fails?: number[];
}

const ids = (...names: string[]) => ({ containers: containers(...names) });
const people = (...contacts: Array<[email: string, name: string]>): Answers => ({
	contacts: contacts.map(([email, first_name]) => ({ email, first_name })),
});
const withRules = (rules: Record<string, unknown>): Answers => ({
	containers: containers(...Object.keys(rules)),
	rules,
});
const ending = (ends: Record<string, string>): Answers =>
	withRules(
		Object.fromEntries(
			Object.entries(ends).map(([id, end]) => [id, { dynamic: true, time: { end } }]),
		),
	);
const includeExisting = { options: { includeExisting: true, maxRetries: 0 } };
const set = (parameters: INodeParameters) => (polling: Polling) => polling.set(parameters);

/** The same history for every event that tells of what is new. */
const news: Array<[event: string, make: (...names: string[]) => Answers]> = [
	['containerCreated', ids],
	['contactCreated', (...names) => people(...names.map((name): [string, string] => [name, 'X']))],
];

const scenarios: Scenario[] = [
	...news.flatMap(([event, make]): Scenario[] => [
		{
			event,
			scenario: 'the first poll starts from now',
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
			scenario: 'the very first one there is',
			polls: [make(), make('a'), make('a')],
			expected: [[], ['a'], []],
		},
		{
			event,
			scenario: 'what exists is included',
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
			scenario: 'one that goes and comes again',
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
			scenario: 'a poll that fails, with one made meanwhile',
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
			scenario: 'another event is chosen',
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
		scenario: 'the same time stamp on all',
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
	...['containerDeleted', 'contactDeleted'].flatMap((event): Scenario[] => {
		const make = event === 'contactDeleted' ? news[1][1] : ids;
		return [
			{
				event,
				scenario: 'one and then two that go, once',
				polls: [make('a', 'b', 'c'), make('a', 'c'), make('a', 'c'), make('new')],
				expected: [[], ['b'], [], ['a', 'c']],
			},
			{
				event,
				scenario: 'all that go, asked for twice',
				polls: [make('a', 'b'), { ...make(), times: 2 }, make(), make('c')],
				expected: [[], ['a', 'b'], [], []],
			},
			{
				event,
				scenario: 'one that came and went',
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
				scenario: 'what exists is never included',
				parameters: includeExisting,
				polls: [make('a', 'b'), make('a')],
				expected: [[], ['b']],
			},
			{
				event,
				scenario: 'a poll that fails, with one gone meanwhile',
				polls: [make('a', 'b'), failing(make()), make('a')],
				expected: [[], [], ['b']],
				fails: [1],
			},
		];
	}),
	{
		event: 'contactChanged',
		scenario: 'another value, once; new and gone ones are not',
		polls: [
			people(['a', '1'], ['b', '1'], ['c', '1']),
			people(['a', '1'], ['b', '2'], ['new', '1']),
			people(['a', '1'], ['b', '2'], ['new', '1']),
			people(['a', '1'], ['b', '1'], ['new', '2']),
		],
		expected: [[], ['b'], [], ['b', 'new']],
	},
	{
		event: 'contactChanged',
		scenario: 'keys and list in another order',
		polls: [
			{ contacts: [{ email: 'a', x: { y: 1, z: 2 } }, { email: 'b' }] },
			{ contacts: [{ email: 'b' }, { x: { z: 2, y: 1 }, email: 'a' }] },
		],
		expected: [[], []],
	},
	{
		event: 'contactChanged',
		scenario: 'an address twice, in another order',
		polls: [
			people(['a', '1'], ['a', '2']),
			people(['a', '2'], ['a', '1'], ['a', '2']),
			people(['a', '2'], ['a', '3']),
		],
		expected: [[], [], ['a']],
	},
	{
		event: 'contactChanged',
		scenario: 'an ignored field',
		parameters: { options: { fieldsToIgnore: 'seen, visits', maxRetries: 0 } },
		polls: [
			{ contacts: [{ email: 'a', seen: 1 }] },
			{ contacts: [{ email: 'a', seen: 2, visits: 7 }] },
			{ contacts: [{ email: 'a', seen: 2, company: 'X' }] },
		],
		expected: [[], [], ['a']],
	},
	{
		event: 'contactChanged',
		scenario: '1,000 at once',
		polls: [
			people(...manyIds(1000).map((id): [string, string] => [id, '1'])),
			people(...manyIds(1000).map((id): [string, string] => [id, '2'])),
			people(...manyIds(1000).map((id): [string, string] => [id, '2'])),
		],
		expected: [[], manyIds(1000), []],
	},
	{
		event: 'contactChanged',
		scenario: 'what exists is included',
		parameters: includeExisting,
		polls: [people(['a', '1'], ['b', '1']), people(['a', '1'], ['b', '2'])],
		expected: [['a', 'b'], ['b']],
	},
	{
		event: 'drmChanged',
		scenario: 'other rules, once; new and gone containers are not',
		polls: [
			withRules({ a: { opens: 1 }, b: { opens: 1 }, c: {} }),
			withRules({ a: { opens: 1 }, b: { opens: 2 }, new: { opens: 1 } }),
			withRules({ a: { opens: 1 }, b: { opens: 2 }, new: { opens: 1 } }),
			withRules({ a: { opens: 1 }, b: { opens: 2 }, new: {} }),
		],
		expected: [[], ['b'], [], ['new']],
	},
	{
		event: 'drmChanged',
		scenario: 'recipients, countries and keys in another order',
		polls: [
			withRules({ a: { recipients: ['x@x', 'y@y'], geo: { allow: ['AT', 'CH'] }, opens: 1 } }),
			withRules({ a: { opens: 1, geo: { allow: ['CH', 'AT'] }, recipients: ['y@y', 'x@x'] } }),
			withRules({ a: { opens: 1, geo: { allow: ['CH', 'AT'] }, recipients: ['y@y'] } }),
		],
		expected: [[], [], ['a']],
	},
	{
		event: 'drmChanged',
		scenario: 'the rules under another key of the answer',
		polls: [
			withRules({ a: { opens: 1 }, b: { drm: { opens: 1 } } }),
			withRules({ a: { data: { rules: { opens: 1 } } }, b: { opens: 1 } }),
		],
		expected: [[], []],
	},
	{
		event: 'drmChanged',
		scenario: 'one of many answers with 500',
		polls: [
			withRules({ a: { opens: 1 }, b: { opens: 1 } }),
			withRules({ a: { opens: 2 }, b: { status: 500 } }),
			withRules({ a: { opens: 2 }, b: { opens: 2 } }),
		],
		expected: [[], [], ['a', 'b']],
		fails: [1],
	},
	{
		event: 'drmChanged',
		scenario: 'one deleted between list and rules',
		polls: [
			withRules({ a: { opens: 1 }, b: { opens: 1 } }),
			withRules({ a: { opens: 2 }, b: { status: 404 } }),
			withRules({ a: { opens: 2 } }),
		],
		expected: [[], ['a'], []],
	},
	{
		event: 'drmChanged',
		scenario: 'a name filter: others are not asked for',
		parameters: { nameFilter: 'name of a*' },
		polls: [
			{ containers: containers('a', 'b', 'ab'), rules: { a: { opens: 1 }, ab: {} } },
			{ containers: containers('a', 'b', 'ab'), rules: { a: { opens: 2 }, ab: {} } },
		],
		expected: [[], ['a']],
	},
	{
		event: 'drmChanged',
		scenario: 'another filter starts anew',
		parameters: { nameFilter: 'of a' },
		polls: [
			{ containers: containers('a', 'b'), rules: { a: { opens: 1 } } },
			set({ nameFilter: 'of b' }),
			{ containers: containers('a', 'b'), rules: { b: { opens: 1 } } },
			{ containers: containers('a', 'b'), rules: { b: { opens: 2 } } },
		],
		expected: [[], [], ['b']],
	},
	{
		event: 'accessEnding',
		scenario: 'an end that comes near, once',
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
		scenario: 'an end that is put off, and comes near again',
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
		scenario: 'access that has ended, has no end, or none that is a date',
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
		scenario: 'what exists is included',
		parameters: includeExisting,
		polls: [ending({ a: TOMORROW, b: LATER }), ending({ a: TOMORROW, b: TOMORROW })],
		expected: [['a'], ['b']],
	},
	{
		event: 'accessEnding',
		scenario: 'more days: those who come in by that, once',
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
		scenario: 'one of many answers with 500',
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
		scenario: 'a list that is empty for a moment',
		polls: [
			ending({ a: TOMORROW, b: LATER }),
			{ containers: { status: 200, body: [] }, times: 2 },
			ending({ a: LATER, b: LATER }),
		],
		expected: [[], [], []],
	},
];

function failing(answers: Answers): Answers {
	return answers.containers === undefined
		? { contacts: { status: 500, body: { message: 'Out of order' } } }
		: { containers: { status: 500, body: { message: 'Out of order' } } };
}

const nameOf = (item: IDataObject): string => {
	const container = item.container as IDataObject | undefined;
	return String(item.containerId ?? container?.uuid ?? item.uuid ?? item.email);
};

describe.each([...new Set(scenarios.map(({ event }) => event))])('%s', (name) => {
	it.each(scenarios.filter(({ event }) => event === name))(
		'$scenario',
		async ({ event, scenario, parameters, polls, expected, fails = [] }) => {
			const polling = new Polling(
				service,
				{ event, options: { maxRetries: 0 }, ...parameters },
				{ timezone: 'UTC' },
			);
			const results: Array<Poll & { before: string; after: string }> = [];
			for (const step of polls) {
				if (typeof step === 'function') {
					step(polling);
					continue;
				}
				const before = JSON.stringify(polling.staticData);
				const result = await polling.poll(step);
				results.push({ ...result, before, after: JSON.stringify(polling.staticData) });
			}

			const emitted = results.map((result) => result.emitted.map(nameOf));
			table.add(event, scenario, expected, emitted);
			expect(emitted).toEqual(expected);
			for (const [number, { error, items, before, after }] of results.entries()) {
				const failed = fails.includes(number);
				expect(error === undefined).toBe(!failed);
				if (failed) expect(after).toBe(before);
				if (expected[number].length === 0) expect(items).toBeNull();
			}
		},
	);
});
