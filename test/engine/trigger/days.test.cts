import { mockService } from '../../support/nock.cts';
import { pollingsOf, containers, dayFromNow } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('days', () => {
	const FAR_EAST = 'Pacific/Kiritimati';
	const FAR_WEST = 'Pacific/Pago_Pago';

	const today = dayFromNow(0, FAR_EAST);

	it.each([
		['a day', today],
		['a moment on that day', `${today}T12:00:00+14:00`],
		['a moment that is on another day in UTC', `${today}T00:30:00+14:00`],
	])(
		'are those that the service shows, from %s; today is in the time zone of the workflow',
		async (_form, end) => {
			const rules = { a: { time: { end } } };
			const emittedIn = async (timezone: string, withinDays: number) => {
				const polling = start('accessEnding', { withinDays }, { timezone });
				await polling.poll({ containers: [] });
				return (await polling.poll({ containers: containers('a'), rules })).emitted;
			};

			expect(await emittedIn(FAR_EAST, 0)).toEqual([
				expect.objectContaining({ endsOn: today, daysLeft: 0 }),
			]);
			expect(await emittedIn(FAR_WEST, 0)).toEqual([]);
			const daysLeft = (Date.parse(today) - Date.parse(dayFromNow(0, FAR_WEST))) / 864e5;
			expect(daysLeft).toBeGreaterThan(0);
			expect(await emittedIn(FAR_WEST, 2)).toEqual([
				expect.objectContaining({ endsOn: today, daysLeft }),
			]);
		},
	);
});
