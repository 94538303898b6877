import { mockService } from '../../../support/nock.cts';
import {
	dayFromNow,
	pollingsOf,
	type Poll,
	describeScenarios,
	listEnds,
	LATER,
	setParameters,
	TOMORROW,
	listRules,
	type Scenario,
} from '../../support/polling.cts';

const service = mockService();
/** Sets the day. Timers run as usual. */
const setDay = (day: string) =>
	jest.useFakeTimers({
		now: Date.parse(day),
		doNotFake: [
			'hrtime',
			'nextTick',
			'performance',
			'queueMicrotask',
			'setImmediate',
			'setInterval',
			'setTimeout',
			'clearImmediate',
			'clearInterval',
			'clearTimeout',
		],
	});
const IN_FIVE = dayFromNow(5, 'UTC');

const accessEndingScenarios: Scenario[] = [
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
		scenario: 'fewer days and more again: no end twice',
		polls: [
			listEnds({ a: LATER }),
			listEnds({ a: IN_FIVE }),
			setParameters({ withinDays: 3 }),
			listEnds({ a: IN_FIVE }),
			setParameters({ withinDays: 7 }),
			listEnds({ a: IN_FIVE }),
		],
		expected: [[], ['a'], [], []],
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
];

describeScenarios(service, accessEndingScenarios);

describe('accessEnding, when no poll ran for a month', () => {
	afterEach(() => jest.useRealTimers());

	it.each([
		['an end that passed, once', { time: { end: dayFromNow(20, 'UTC') } }, ['a']],
		['no end that passed and was emitted before', { time: { end: TOMORROW } }, []],
		['no end that somebody moved into the past', { time: { end: dayFromNow(-3, 'UTC') } }, []],
		['an end that is near now', { time: { end: dayFromNow(32, 'UTC') } }, ['a']],
	])('emits %s', async (_what, after, expected) => {
		const isMoved = Date.parse(after.time.end) < Date.now();
		const polling = pollingsOf(service)('accessEnding', {}, { timezone: 'UTC' });
		const idsOf = ({ emitted }: Poll) => emitted.map(({ containerId }) => containerId);
		await polling.poll(listRules({ a: isMoved ? { time: { end: LATER } } : after }));
		setDay(dayFromNow(30, 'UTC'));

		const polls = [await polling.poll(listRules({ a: after }))];
		polls.push(await polling.poll(listRules({ a: after })));

		expect(polls.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(polls.map(idsOf)).toEqual([expected, []]);
	});
});

it('accessEnding uses the day that the service shows, and today in the time zone of the workflow', async () => {
	const [FAR_EAST, FAR_WEST] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
	const today = dayFromNow(0, FAR_EAST);
	// In UTC, it is another day.
	const list = listEnds({ a: `${today}T00:30:00+14:00` });
	const emittedIn = async (timezone: string, withinDays: number) => {
		const polling = pollingsOf(service)('accessEnding', { withinDays }, { timezone });
		await polling.poll({ containers: [] });
		return (await polling.poll(list)).emitted;
	};
	const daysLeft = (Date.parse(today) - Date.parse(dayFromNow(0, FAR_WEST))) / 864e5;

	expect(await emittedIn(FAR_EAST, 0)).toMatchObject([{ endsOn: today, daysLeft: 0 }]);
	expect(daysLeft).toBeGreaterThan(0);
	expect(await emittedIn(FAR_WEST, 0)).toEqual([]);
	expect(await emittedIn(FAR_WEST, 2)).toMatchObject([{ endsOn: today, daysLeft }]);
});
