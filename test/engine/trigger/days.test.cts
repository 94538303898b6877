import { mockService } from '../../support/nock.cts';
import { pollingsOf, containers, dayFromNow } from '../support/polling.cts';

const service = mockService();
const start = pollingsOf(service);

describe('days', () => {
	const FAR_EAST = 'Pacific/Kiritimati';
	const FAR_WEST = 'Pacific/Pago_Pago';

	it.each([
		['a day', dayFromNow(0, FAR_EAST)],
		['a moment on that day', `${dayFromNow(0, FAR_EAST)}T12:00:00+14:00`],
	])('are in the time zone of the workflow, from %s', async (_form, end) => {
		const rules = { a: { time: { end } } };
		const emittedIn = async (timezone: string, withinDays: number) => {
			const polling = start('accessEnding', { withinDays }, { timezone });
			await polling.poll({ containers: [] });
			return (await polling.poll({ containers: containers('a'), rules })).emitted;
		};
		expect(await emittedIn(FAR_EAST, 0)).toEqual([expect.objectContaining({ daysLeft: 0 })]);

		if (end.includes('T')) {
			const inTheWest = dayFromNow(0, FAR_WEST);
			const [item] = await emittedIn(FAR_WEST, 7);
			const endsInTheWest = new Intl.DateTimeFormat('sv-SE', { timeZone: FAR_WEST });
			expect(item?.endsOn).toBe(endsInTheWest.format(new Date(end)));
			expect(item?.daysLeft).toBe(
				(Date.parse(String(item?.endsOn)) - Date.parse(inTheWest)) / 864e5,
			);
		} else {
			expect(await emittedIn(FAR_WEST, 0)).toEqual([]);
			const [item] = await emittedIn(FAR_WEST, 2);
			expect(item).toMatchObject({ endsOn: end });
			expect(item?.daysLeft).toBeGreaterThan(0);
		}
	});

	it('are counted as full days', async () => {
		const ends = { a: dayFromNow(7, 'UTC'), b: dayFromNow(8, 'UTC'), c: dayFromNow(0, 'UTC') };
		const rules = Object.fromEntries(
			Object.entries(ends).map(([id, end]) => [id, { time: { end } }]),
		);
		const polling = start('accessEnding', { withinDays: 7 }, { timezone: 'UTC' });
		await polling.poll({ containers: [] });

		const { emitted } = await polling.poll({ containers: containers('a', 'b', 'c'), rules });

		expect(emitted.map(({ containerId, daysLeft }) => [containerId, daysLeft])).toEqual([
			['a', 7],
			['c', 0],
		]);
	});
});
