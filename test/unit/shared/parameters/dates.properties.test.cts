import fc from 'fast-check';
import { DateTime } from 'luxon';
import { parseDate } from '../../../../nodes/shared/parameters/dates';
import { always } from '../../support/seeded.cts';

const zone = fc.constantFrom(
	...['Etc/GMT+12', 'Pacific/Pago_Pago', 'America/New_York', 'America/St_Johns', 'UTC'],
	...['Europe/Zurich', 'Asia/Tehran', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'],
	...['Pacific/Chatham', 'Etc/GMT-14'],
);
const [min, max] = [new Date('1990-01-01'), new Date('2199-12-31')];
const moment = fc.date({ min, max, noInvalidDate: true });

const parse = (value: unknown, timeZone: string) => parseDate(value, 'Available Until', timeZone);

describe('any moment', () => {
	it('is the day that Luxon finds in the zone, in every format', async () => {
		await always(
			fc.property(moment, zone, zone, (date, workflowZone, otherZone) => {
				const elsewhere = DateTime.fromJSDate(date, { zone: otherZone });
				const forms = [
					...[date, date.toISOString(), elsewhere, elsewhere.toISO()],
					elsewhere.toISO({ format: 'extended', extendedZone: true }),
					elsewhere.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZZ"),
				];
				const day = DateTime.fromJSDate(date, { zone: workflowZone }).toISODate();
				for (const form of forms) expect(parse(form, workflowZone)).toBe(day);
			}),
			200,
		);
	});

	it('is its own day in every zone when it is written without one', async () => {
		await always(
			fc.property(moment, zone, (date, workflowZone) => {
				const text = date.toISOString();
				for (const form of [text.slice(0, 10), text.slice(0, 16), text.slice(0, 23)]) {
					expect(parse(form, workflowZone)).toBe(text.slice(0, 10));
				}
			}),
		);
	});
});

it('any other value is a day of the calendar or is rejected', async () => {
	const nearlyDates = fc
		.tuple(fc.integer({ min: 0, max: 9999 }), fc.nat(15), fc.nat(40))
		.map(([year, ...rest]) =>
			[String(year).padStart(4, '0'), ...rest.map((part) => String(part).padStart(2, '0'))].join(
				'-',
			),
		);
	const rejection = /^"Available Until" is (not a date|empty|not written as YYYY-MM-DD)$/;
	await always(
		fc.property(fc.oneof(nearlyDates, fc.string(), fc.anything()), zone, (value, workflowZone) => {
			let day: string;
			try {
				day = parse(value, workflowZone);
			} catch (error) {
				expect((error as Error).message).toMatch(rejection);
				return;
			}
			expect(DateTime.fromISO(day).isValid).toBe(true);
			expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
		}),
		1_000,
	);
});
