import { DateTime } from 'luxon';
import {
	addDays,
	daysBetween,
	getDateInDays,
	getLastDayOverEverywhere,
	parseDate,
	parseServiceDate,
} from '../../../../nodes/shared/parameters/dates';

const read = (value: unknown, timeZone = 'UTC') => parseDate(value, 'Available Until', timeZone);

it.each([
	['  2026-12-31\n', '2026-12-31'],
	['2026-12-31 23:59:59.999', '2026-12-31'],
	['2028-02-29', '2028-02-29'],
])('a day is what a time without a zone says in every zone: %j', (text, day) => {
	for (const zone of ['Etc/GMT+12', 'UTC', 'Etc/GMT-14']) expect(read(text, zone)).toBe(day);
});

it.each([
	['2026-12-31T23:30:00,5Z', '2027-01-01'],
	['2026-12-31 23:30:00 +01:00', '2026-12-31'],
	['2026-12-31T23:30:00+01', '2026-12-31'],
	['2026-12-31T23:30:00.000+01:00[Europe/Zurich]', '2026-12-31'],
	['2026-12-31T21:30:00-0130', '2027-01-01'],
])('a moment is parsed in the time zone of the workflow (Zurich): %s', (text, day) => {
	expect(read(text, 'Europe/Zurich')).toBe(day);
});

it.each(['Etc/GMT+12', 'America/New_York', 'UTC', 'Etc/GMT-14'])(
	'the edge of a day in UTC is that day everywhere: %s',
	(zone) => {
		const edges = ['2027-03-15T00:00:00.000Z', '2027-03-15T23:59:59Z', '2027-03-15 00:00:00+00:00'];
		edges.push('2027-03-15T00:00Z', '2027-03-15T23:59+00:00');
		for (const value of [...edges, new Date('2027-03-15')]) {
			expect(read(value, zone)).toBe('2027-03-15');
		}
	},
);

it.each<[string, ...unknown[]]>([
	['is empty', '', '   ', null, undefined],
	['is not a date', '31.12.2026', 'x2026-12-31', 'x2026-12-31T10:00Z', '1798700400000'],
	['is not a date', '2026-02-29', '2026-02-30T10:00:00Z', '2026-13-01', '2026-12-31T25:00:00'],
	['is not a date', 'tomorrow', '2026-12-31x', '2026-12-31T10:00Z[UTC]x', '2026-12-31T25:00:00Z'],
	['is not a date', 1_798_700_400, true, {}, ['2026-12-31'], new Date('never')],
	['is not a date', DateTime.fromISO('never')],
])('an error says that the field %s', (problem, ...wrong) => {
	for (const value of wrong) expect(() => read(value)).toThrow(`"Available Until" ${problem}`);
});

it.each([
	['2026-12-31', 0, '2026-12-31'],
	['2026-12-31', 1, '2027-01-01'],
	['2028-02-28', 1, '2028-02-29'],
	['2027-01-01', -1, '2026-12-31'],
])('days are counted from %s: %d days later is %s', (from, days, day) => {
	expect(addDays(from, days)).toBe(day);
	expect(daysBetween(from, day)).toBe(days);
});

it.each([
	['Etc/GMT+12', '2026-12-30'],
	['UTC', '2026-12-31'],
	['Etc/GMT-14', '2027-01-01'],
])('days are counted from today in %s', (zone, day) => {
	jest.useFakeTimers({ now: new Date('2026-12-31T11:59:00Z') });
	const inDays = [0, 30].map((days) => getDateInDays(days, zone));
	jest.useRealTimers();

	expect(inDays).toEqual([day, addDays(day, 30)]);
});

it.each<[string | undefined, ...unknown[]]>([
	['2026-11-20', ' 2026-11-20 ', '2026-11-20T23:59:59', '2026-11-20 08:00:00.000000'],
	// A day with a zone is the day that is shown, whatever day it is elsewhere.
	['2026-11-20', '2026-11-20T23:59:59.000Z', '2026-11-20T23:30:00-05:00', '2026-11-20 00:00:00+00'],
	['2026-11-20', '2026-11-20T00:30:00+09:00', '2026-11-20T00:00:00+01:00[Europe/Zurich]'],
	['2000-01-01', '2000-01-01'],
	[undefined, '1999-12-31', '0000-00-00 00:00:00', '12/31/2099', '31.12.2026', '2026-02-30'],
	[undefined, '2026-11-20 or later', '2026', 'never', 'Fri, 20 Nov 2026 00:00:00 GMT', '20261120'],
	[undefined, 5, 1_795_132_800, '1795132800', Number.NaN, true, [2026, 11, 20], { day: 20 }],
])('the day %s is read from each date of the service', (day, ...shown) => {
	for (const value of shown) expect(parseServiceDate(value)).toBe(day);
});

it.each([
	['2026-12-31T11:59:00Z', '2026-12-29'],
	['2026-12-31T12:00:00Z', '2026-12-30'],
])('a day is over everywhere when it has ended at UTC-12: %s', (now, day) => {
	jest.useFakeTimers({ now: new Date(now) });
	expect(getLastDayOverEverywhere()).toBe(day);
	jest.useRealTimers();
});
