import {
	daysBetween,
	isDayAnywhere,
	isNoDate,
	parseDate,
	parseServiceDate,
} from '../../../../nodes/shared/parameters/dates';
import { isExpression } from '../../../../nodes/shared/parameters/expressions';
import {
	parseAddresses,
	parseList,
	parseOptionalList,
} from '../../../../nodes/shared/parameters/lists';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseText,
} from '../../../../nodes/shared/parameters/scalars';
import { matchesWildcards } from '../../../../nodes/shared/parameters/wildcards';

describe('a date of the service', () => {
	it.each([
		...[undefined, null, '', ' \n', 0, '0', '0000-00-00', '0001-01-01T00:00:00\n'],
		...['1900-01-01', '1899-12-30T00:00:00', '1970-01-01T00:00:00Z', '/Date(-62135596800000)/'],
	])('can say that there is none: %j', (value) => {
		expect(isNoDate(value)).toBe(true);
	});

	it.each([
		...['soon', '2026-12-31', 'x 0', '10', '2001-01-01', '1700-01-01', '/Date(62135596800000)/'],
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
		[20_261_231, '2026-12-31'],
		[2_026_123, undefined],
		[[2026, 12], undefined],
		[[2026, 12, '31'], undefined],
		[[2026, 12, 31, 23, 59], '2026-12-31'],
		[{ date: ' 2026-12-31 00:00:00.000000 ' }, '2026-12-31'],
		['Thu, 31 Dec 2026 23:00:00 GMT', '2026-12-31'],
		['Thu, 31 Dec 2026 23:00:00 GMT', '2027-01-01', 'Asia/Tokyo'],
		['31 dec 2026 23:00 +0100', '2026-12-31'],
		['x31 Dec 2026 23:00 GMT', undefined],
		['31 Dec 2026 23:00 GMT x', undefined],
		['31 anf 2026 23:00 GMT', undefined],
		['/Date(1798671600000)/', '2026-12-30'],
		['/Date(1798671600000+0100)/', '2026-12-31'],
		['/Date(1798669800000+0130)/', '2026-12-31'],
		['/Date(1798669800000+0129)/', '2026-12-30'],
		['/Date(1798675200000-0100)/', '2026-12-30'],
		['/Date(1798671600000+0100)/', '2026-12-30', 'UTC'],
		['x/Date(1798671600000)/', undefined],
		['/Date(1798671600000)/x', undefined],
		['2026-12-31T23:00:00Z', '2026-12-31'],
		['2026-12-31T23:00:00Z', '2027-01-01', 'Asia/Tokyo'],
	])('%j is %j', (value, day, ...[timeZone]) => {
		expect(parseServiceDate(value, timeZone)).toBe(day);
	});
});

it.each([
	['2026-12-31 23:30:00 -01', '2027-01-01'],
	['2026-12-31T23:30:00-0130', '2027-01-01'],
	['2026-12-31T23:30-01:00', '2027-01-01'],
	['2026-12-31T23:30:00,5z', '2026-12-31'],
	['2027-01-01T00:30:00+01:00[Europe/Zurich]', '2026-12-31'],
])('the moment %j is on the day %j', (value, day) => {
	expect(parseDate(value, 'Available Until', 'UTC')).toBe(day);
});

it.each(['x2026-12-31', '2026-12-31x', 'x2026-12-31T10:00', '2026-12-31T10:00Z[UTC]x'])(
	'%j is not a date',
	(value) => {
		expect(() => parseDate(value, 'Available Until', 'UTC')).toThrow('is not a date');
	},
);

it('counts the days between two days', () => {
	expect(daysBetween('2026-12-30', '2027-01-02')).toBe(3);
	expect(daysBetween('2027-01-02', '2026-12-30')).toBe(-3);
});

describe('a list', () => {
	const address = 'anna@x.example';

	it.each([
		...[`"${address}"`, `'${address}'`, `<${address}>`, `" <${address}> "`, ` ${address} `],
		...[`mailto:${address}`, `MAILTO: ${address}`, `mailto:${address}?subject=Hi`],
		...[[{ email: address }], { email: address }, `["${address}"]`, ` ["${address}"] ; `],
	])('has the address of %j', (value) => {
		expect(parseAddresses(value, 'Recipients')).toEqual([address]);
	});

	it.each([`x"${address}"`, `<${address}>x`, `x<${address}>`, `xmailto:${address}x y`])(
		'has no address in %j',
		(value) => {
			expect(() => parseAddresses(value, 'Recipients')).toThrow('is not an email address');
		},
	);

	it.each([
		['["a"]x', ['["a"]x']],
		['x["a"]', ['x["a"]']],
		['["a"', ['["a"']],
		['a ,', ['a']],
	])('is read from %j', (value, entries) => {
		expect(parseList(value, 'Entries')).toEqual(entries);
	});

	it('can be empty, but not missing, where it is optional', () => {
		expect(parseOptionalList('', 'Entries')).toEqual([]);
		for (const value of [undefined, null]) {
			expect(() => parseOptionalList(value, 'Entries')).toThrow('"Entries" is empty');
		}
	});
});

describe('a value', () => {
	const choices = [
		{ name: 'From List', value: 'list' },
		{ name: 'By ID', value: 'id' },
	];

	it.each(['id', ' ID ', 'by id'])('%j is a choice', (value) => {
		expect(parseChoice(value, 'Mode', choices)).toBe('id');
	});

	it('can be text, a number, a switch', () => {
		expect([true, 5n, 1.5, ''].map((value) => parseText(value, 'Name'))).toEqual([
			...['true', '5', '1.5', ''],
		]);
		expect([' TRUE ', 'False'].map((value) => parseBoolean(value, 'Switch'))).toEqual([
			true,
			false,
		]);
		expect(['12', '7.00', '-3'].map((value) => parseInteger(value, 'Limit', -3))).toEqual([
			...[12, 7, -3],
		]);
	});

	it('is not a date only because it has the name of its function', () => {
		expect(() => parseText({ toMillis: 5 }, 'Name')).toThrow('"Name" is not text');
	});

	it('is shortened in an error', () => {
		expect(() => parseBoolean(10n ** 60n, 'Switch')).toThrow(
			expect.objectContaining({
				description: expect.stringContaining(`The value is 1${'0'.repeat(49)}.`),
			}),
		);
	});

	it.each([
		['={{ 1 }}', true],
		['a=', false],
		['', false],
		[5, false],
		[undefined, false],
	])('%j is an expression: %s', (value, isOne) => {
		expect(isExpression(value)).toBe(isOne);
	});
});

it.each([
	['', '*', true],
	['a', 'a', true],
	['a', 'b', false],
	['ab', 'a*b', true],
	['a', 'a*', true],
	['a', 'a*a', false],
	['ba', 'a*', false],
	['axbxc', 'a*b*c', true],
	['axc', 'a*b*c', false],
	['ab', 'a*b*b', false],
	['abab', '*ab*ab', true],
	['ab', '*ab*ab', false],
	['bab', '*ab*b*', false],
	['abc', '*a*b*', true],
])('the text %j matches %j: %s', (text, pattern, matches) => {
	expect(matchesWildcards(text, pattern)).toBe(matches);
});
