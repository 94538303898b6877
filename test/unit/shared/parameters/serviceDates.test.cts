import {
	getLastDayOverEverywhere,
	isDayAnywhere,
	isNoDate,
	parseServiceDate,
} from '../../../../nodes/shared/parameters/dates';

const seconds = Date.UTC(2026, 10, 20) / 1000;

describe('a date that the service returned', () => {
	it.each<[string, unknown]>([
		['a day', '2026-11-20'],
		['a day with spaces around it', ' 2026-11-20 '],
		['a time without a zone', '2026-11-20T23:59:59'],
		['a time without a zone, with a space', '2026-11-20 08:00:00.000000'],
		['a timestamp', '2026-11-20T23:59:59.000Z'],
		['a timestamp west of UTC, which is the next day there', '2026-11-20T23:30:00-05:00'],
		['a timestamp east of UTC, which is the day before there', '2026-11-20T00:30:00+09:00'],
		['a timestamp with a zone', '2026-11-20T00:00:00+01:00[Europe/Zurich]'],
		['a timestamp of PostgreSQL', '2026-11-20 00:00:00+00'],
		['seconds', seconds],
		['seconds, at the end of the day', seconds + 86_399],
		['seconds with a fraction', seconds + 0.25],
		['seconds in text', String(seconds)],
		['milliseconds', seconds * 1000],
		['milliseconds in text', `${seconds}000`],
	])('is the calendar day that it shows: %s', (_form, value) => {
		expect(parseServiceDate(value)).toBe('2026-11-20');
	});

	it.each<[string, unknown, string]>([
		['9999 as a day', '9999-12-31', '9999-12-31'],
		['9999 in seconds', 253_402_300_799, '9999-12-31'],
		['9999 in milliseconds', 253_402_300_799_000, '9999-12-31'],
		['2001 in seconds', 1_000_000_000, '2001-09-09'],
	])('is read at the limits: %s', (_what, value, day) => {
		expect(parseServiceDate(value)).toBe(day);
	});

	it.each<[string, unknown]>([
		['empty text', ''],
		['spaces', '  '],
		['null', null],
		['undefined', undefined],
		['the first year', '0001-01-01T00:00:00Z'],
		['zeros', '0000-00-00'],
		['zeros with a time', '0000-00-00 00:00:00'],
		['the first second', 0],
		['the first second, as a timestamp', '1970-01-01T00:00:00Z'],
		['slashes', '12/31/2099'],
		['points', '31.12.2026'],
		['a text that only starts like a day', '2026-11-20 or later'],
		['a day that does not exist', '2026-02-30'],
		['a small number', 5],
		['a negative number', -1_795_132_800],
		['a number between seconds and milliseconds', 500_000_000_000],
		['a number of microseconds', 1_795_132_800_000_000],
		['not a number', Number.NaN],
		['a year alone', '2026'],
		['words', 'never'],
		['true', true],
		['RFC 1123', 'Fri, 20 Nov 2026 00:00:00 GMT'],
		['digits', '20261120'],
		['a list', [2026, 11, 20]],
		['an object', { day: '2026-11-20' }],
	])('is none when it is %s', (_form, value) => {
		expect(parseServiceDate(value)).toBeUndefined();
	});

	it.each([
		...[undefined, null, '', ' \n', 0, '0', '0000-00-00', '0001-01-01T00:00:00\n'],
		...['1900-01-01', '1899-12-30T00:00:00', '1970-01-01T00:00:00Z'],
	])('can say that there is none: %j', (value) => {
		expect(isNoDate(value)).toBe(true);
	});

	it.each([
		...['soon', '2026-12-31', 'x 0', '10', '2001-01-01', '1700-01-01'],
		...[{}, [], true, 1, '1900'],
	])('otherwise says something: %j', (value) => {
		expect(isNoDate(value)).toBe(false);
	});

	it.each([
		['2026-12-31T23:00:00Z', ['2026-12-31', '2027-01-01']],
		['2026-12-31T01:00:00Z', ['2026-12-30', '2026-12-31']],
		['2026-12-31', ['2026-12-31']],
		['soon', []],
	])('%j is a day somewhere: %j', (value, days) => {
		const all = ['2026-12-29', '2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02'];
		expect(all.filter((day) => isDayAnywhere(value, day))).toEqual(days);
	});

	it.each<[unknown, string | undefined, string?]>([
		['1971-01-01', '1971-01-01'],
		['1970-12-31', undefined],
		['x2026-12-31', undefined],
		[1e12, '2001-09-09'],
		[1e8, '1973-03-03'],
		[253_402_300_799, '9999-12-31'],
		[253_402_300_800, undefined],
		['1798671600.125', '2026-12-30'],
		['2026-12-31T23:00:00Z', '2026-12-31'],
		['2026-12-31T23:00:00Z', '2027-01-01', 'Asia/Tokyo'],
	])('%j is %j', (value, day, ...[timeZone]) => {
		expect(parseServiceDate(value, timeZone)).toBe(day);
	});
});

describe('the last day that is over everywhere', () => {
	it.each([
		['2026-11-21T11:59:59.999Z', '2026-11-19'],
		['2026-11-21T12:00:00.000Z', '2026-11-20'],
		['2026-11-21T23:59:59.999Z', '2026-11-20'],
		['2026-01-01T00:00:00Z', '2025-12-30'],
		['2028-03-01T12:00:00Z', '2028-02-29'],
	])('is the day before that at UTC-12: at %s it is %s', (now, day) => {
		expect(getLastDayOverEverywhere(new Date(now))).toBe(day);
	});
});
