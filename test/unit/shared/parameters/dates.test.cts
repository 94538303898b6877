import { DateTime } from 'luxon';
import {
	addDays,
	daysBetween,
	getDateInDays,
	parseDate,
} from '../../../../nodes/shared/parameters/dates';

const read = (value: unknown, timeZone = 'UTC') => parseDate(value, 'Available Until', timeZone);

describe('the selected day', () => {
	it.each([
		['a day', '2026-12-31', '2026-12-31'],
		['a day with spaces around it', '  2026-12-31\n', '2026-12-31'],
		['what the editor stores', '2026-12-31T00:00:00', '2026-12-31'],
		['a time without a zone', '2026-12-31T23:59', '2026-12-31'],
		['a time without a zone, with a space', '2026-12-31 23:59:59.999', '2026-12-31'],
		['a leap day', '2028-02-29', '2028-02-29'],
	])('is used unchanged from %s, in every zone', (_form, text, day) => {
		for (const zone of ['Etc/GMT+12', 'America/New_York', 'UTC', 'Asia/Kolkata', 'Etc/GMT-14']) {
			expect(read(text, zone)).toBe(day);
		}
	});

	it.each([
		['Etc/GMT+12', '2026-12-30'],
		['Pacific/Honolulu', '2026-12-30'],
		['America/Los_Angeles', '2026-12-31'],
		['UTC', '2026-12-31'],
		['Europe/Zurich', '2026-12-31'],
		['Asia/Tokyo', '2026-12-31'],
		['Pacific/Auckland', '2026-12-31'],
		['Etc/GMT-14', '2026-12-31'],
	])('is the day in %s of a moment', (zone, day) => {
		const moment = '2026-12-31T09:00:00Z';
		expect(read(moment, zone)).toBe(day);
		expect(read(new Date(moment), zone)).toBe(day);
		expect(read(DateTime.fromISO(moment), zone)).toBe(day);
		expect(read(DateTime.fromISO(moment, { zone: 'Asia/Tokyo' }), zone)).toBe(day);
	});

	it.each([
		['2026-12-31T23:30:00.000Z', '2027-01-01'],
		['2026-12-31T23:30:00,5Z', '2027-01-01'],
		['2026-12-31t23:30:00z', '2027-01-01'],
		['2026-12-31 23:30:00Z', '2027-01-01'],
		['2026-12-31T23:30Z', '2027-01-01'],
		['2026-12-31T23:30:00+00:00', '2027-01-01'],
		['2026-12-31T23:30:00+0100', '2026-12-31'],
		['2026-12-31T23:30:00+01', '2026-12-31'],
		['2026-12-31 23:30:00 +01:00', '2026-12-31'],
		['2026-12-31T23:30:00.000+01:00[Europe/Zurich]', '2026-12-31'],
		['2026-12-31T12:30:00-12:00', '2027-01-01'],
		['2027-01-01T13:30:00+14:00', '2027-01-01'],
		['2026-12-31 21:30:00 -01', '2026-12-31'],
		['2026-12-31 22:30:00 -01', '2027-01-01'],
		['2026-12-31T21:30:00-0130', '2027-01-01'],
		['2026-12-31T22:30-01:00', '2027-01-01'],
		['2026-12-31T22:30:00,5z', '2026-12-31'],
	])('is parsed in the time zone of the workflow (Zurich) from %s', (text, day) => {
		expect(read(text, 'Europe/Zurich')).toBe(day);
	});

	it.each([
		['before clocks go forward', '2026-03-29T00:59:59Z', '2026-03-29'],
		['after clocks went forward', '2026-03-29T21:59:59Z', '2026-03-29'],
		['midnight in summer time', '2026-03-29T22:00:00Z', '2026-03-30'],
		['before clocks go back', '2026-10-25T00:30:00Z', '2026-10-25'],
		['midnight in winter time', '2026-10-25T23:00:00Z', '2026-10-26'],
		['shortly before midnight in winter time', '2026-10-25T22:59:59Z', '2026-10-25'],
	])('respects summer time in Zurich: %s', (_when, text, day) => {
		expect(read(text, 'Europe/Zurich')).toBe(day);
	});

	it.each<[string, unknown, string]>([
		['nothing', '', 'is empty'],
		['spaces', '   ', 'is empty'],
		['null', null, 'is empty'],
		['undefined', undefined, 'is empty'],
		['another order', '31.12.2026', 'is not written as YYYY-MM-DD'],
		['slashes', '12/31/2026', 'is not written as YYYY-MM-DD'],
		['a day after something', 'x2026-12-31', 'is not written as YYYY-MM-DD'],
		['a moment after something', 'x2026-12-31T10:00Z', 'is not written as YYYY-MM-DD'],
		['a number in text', '1798700400000', 'is not written as YYYY-MM-DD'],
		['words', 'tomorrow', 'is not a date'],
		['a day before something', '2026-12-31x', 'is not a date'],
		['a moment before something', '2026-12-31T10:00Z[UTC]x', 'is not a date'],
		['a day that does not exist', '2026-02-29', 'is not a date'],
		['a moment on a day that does not exist', '2026-02-30T10:00:00Z', 'is not a date'],
		['a month that does not exist', '2026-13-01', 'is not a date'],
		['an hour that does not exist', '2026-12-31T25:00:00', 'is not a date'],
		['an hour that does not exist, with a zone', '2026-12-31T25:00:00Z', 'is not a date'],
		['a number of seconds', 1_798_700_400, 'is not a date'],
		['true', true, 'is not a date'],
		['an object', {}, 'is not a date'],
		['a list', ['2026-12-31'], 'is not a date'],
		['an invalid Date', new Date('never'), 'is not a date'],
		['an invalid DateTime', DateTime.fromISO('never'), 'is not a date'],
	])('is rejected with the name of the field when it is %s', (_what, value, problem) => {
		expect(() => read(value)).toThrow(`"Available Until" ${problem}`);
	});

	it.each([
		['soon', /^The value is "soon"\. Pick a day in "Available Until".*2026-12-31/],
		[
			'31.12.2026',
			/^The value is "31\.12\.2026"\. Use 2026-12-31, or DateTime\.fromFormat\(.* in "Available Until"\.$/,
		],
	])('is rejected with the value and what to enter instead: %s', (value, description) => {
		expect(() => read(value)).toThrow(
			expect.objectContaining({ description: expect.stringMatching(description) }),
		);
	});
});

it('has four digits for the year', () => {
	expect(read('0999-06-01T10:00:00Z')).toMatch(/^0999-/);
});

describe('a number of days from a day', () => {
	it.each([
		['2026-12-31', 0, '2026-12-31'],
		['2026-12-31', 1, '2027-01-01'],
		['2028-02-28', 1, '2028-02-29'],
		['2027-02-28', 1, '2027-03-01'],
		['2026-03-28', 2, '2026-03-30'],
		['2027-01-01', -1, '2026-12-31'],
	])('from %s: %d days later is %s', (from, days, day) => {
		expect(addDays(from, days)).toBe(day);
	});

	it('is counted between two days', () => {
		expect(daysBetween('2026-12-30', '2027-01-02')).toBe(3);
		expect(daysBetween('2027-01-02', '2026-12-30')).toBe(-3);
	});

	it.each([
		['Etc/GMT+12', '2026-12-30'],
		['UTC', '2026-12-31'],
		['Etc/GMT-14', '2027-01-01'],
	])('counts from today in %s', (zone, day) => {
		jest.useFakeTimers({ now: new Date('2026-12-31T11:59:00Z') });
		const inDays = [0, 30].map((days) => getDateInDays(days, zone));
		jest.useRealTimers();

		expect(inDays).toEqual([day, addDays(day, 30)]);
	});
});

it('is formatted with one formatter for each time zone', () => {
	const format = jest.spyOn(Intl, 'DateTimeFormat');
	const moment = '2026-12-31T12:00:00Z';

	for (let count = 0; count < 10; count += 1) read(moment, 'Antarctica/Troll');

	expect(read(moment, 'Antarctica/Troll')).toBe('2026-12-31');
	expect(format).toHaveBeenCalledTimes(1);
	format.mockRestore();
});
