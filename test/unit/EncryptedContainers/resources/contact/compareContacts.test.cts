import {
	findWrongField,
	isSameValue,
} from '../../../../../nodes/EncryptedContainers/resources/contact/compareContacts';
import { rowsOf } from '../../../../support/texts.cts';

const pairs = rowsOf<[one: unknown, other: unknown]>(`
	nothing: [null, ""]
	nothing and an empty object: [null, {}]
	nothing in an object: [{ a: 1 }, { a: 1, b: null, c: " ", d: [], e: { f: null } }]
	the order of fields: [{ a: 1, b: { c: [] } }, { b: { c: [] }, a: 1 }]
	nothing in lists: [{ a: { b: [1, { c: null }] } }, { a: { b: ["1", {}] } }]
	empty values: [[], {}]
	lists: [[1, [2]], [1, [2]]]
	capitals of an address: ["Anna@Example.com ", anna@example.com]
	forms of Unicode: ["u\u0308", ü]
	line ends: [" Anna\\r\\nBerg", "Anna\\nBerg "]
	numbers as text: [41791234567, "41791234567"]
	fractions as text: [0.5, "0.5"]
	numbers in a form of their own: [{ a: [1.5] }, { a: [" 1.50"] }]
	switches as numbers: [true, 1]
	switches as text: [true, "true"]
	switches of spreadsheets: [true, "TRUE"]
	switches of spreadsheets as numbers: ["FALSE", 0]
	time zones: ["2026-11-21T10:00:00Z", "2026-11-21T11:00:00.000+01:00"]
	time zones without a colon: ["2026-11-21T10:00:00Z", "2026-11-21T11:00:00+0100"]
	days: ["2026-01-02", "2026-01-02T00:00:00.000Z"]
	times without a zone: ["2026-01-02", "2026-01-02 00:00:00"]
	parts of a second: ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05Z"]
	a zero behind the country: ["+49 (0)171 2345678", "+491712345678"]
	forms of a number: ["+49 (170) 123-45", "+4917012345"]
`);

const moment = '2026-01-02T03:04:05.000Z';

it.each([...pairs, ['a Date', [new Date(moment), moment]] as (typeof pairs)[0]])(
	'two values of a contact field are the same in spite of %s',
	(_what, [one, other]) => {
		expect(isSameValue(one, other)).toBe(true);
		expect(isSameValue(other, one)).toBe(true);
		expect(isSameValue(undefined, null)).toBe(true);
	},
);

it.each([
	['+1 415 5550100', '(415) 555-0100'],
	['+491712345678', '0171 2345678'],
	['+15551234567', 5551234567],
])(
	'a phone number that shows as %j was not changed by %j, but the other way round',
	(whole, local) => {
		expect(isSameValue(whole, local)).toBe(true);
		expect(isSameValue(local, whole)).toBe(false);
	},
);

it.each([
	...[
		[0, true],
		['Anna', 'ANNA'],
		['5', '05'],
		[0, null],
		['', 0],
		['1.1', '1.10'],
		[11, '1.1.0'],
		[true, 'yes'],
	],
	...[
		['2026-01-02', '2026-01-03T00:00:00Z'],
		[[1], [1, 2]],
		[[null], []],
		[{ a: 1 }, { a: 2 }],
		['+14155550100', '415 555 0101'],
		['+14155550100', '555010'],
		['14155550100', '4155550100'],
	],
	...[
		[{ constructor: 1 }, {}],
		[{}, { toString: 1 }],
	],
	[
		[1, 2],
		[2, 1],
	],
])('two values of a contact field differ: %j and %j', (one, other) => {
	expect(isSameValue(one, other)).toBe(false);
	expect(isSameValue(other, one)).toBe(false);
});

describe('a field of a contact', () => {
	it.each([
		['', false],
		['', 0],
		['Anna', 'ANNA '],
		['+41 44 123', '+4144123'],
		['10%', 10],
		['(555) 010-9999 ext. 12', '+15550109999'],
		['8 (495) 123-45-67', '+74951234567'],
		['0171/2345678 (privat)', '+491712345678'],
		['011 44 20 7946 0000', '+442079460000'],
		['+41 44 123 45 67', '0041441234567'],
		['+12015550123', '(201) 555-0123'],
		['+1 (555) 123-4567', '555-123-4567'],
		['+49 (171) 234-5678', 'tel:+491712345678'],
		['+1 555 123 4567 x12', '+1 555-123-4567 ext. 12'],
		[
			['b', 'a'],
			['a', 'b'],
		],
	])('that was sent as %j can show as %j', (sent, shown) => {
		expect(findWrongField({ field: shown }, { field: sent })).toBeUndefined();
	});

	it.each([
		[-5, 5],
		['a@b.example', 'ab.example'],
		['', 7],
		['x', null],
		['0171/2345678 (privat)', '+491712345679'],
		['010-9999 ext. 12', '+109999'],
		['Code 15550109999', '15550109999'],
		['+15551234567', '+155512345'],
		['+49 171 2345678 / +49 30 1234567', '+491712345678'],
		['+41 44 123 45 67', '0041441234568'],
		['15.06.2026', '05.06.2026'],
		['1012345678', '0012345678'],
		[['b', 'a'], ['a']],
	])('that was sent as %j is wrong as %j', (sent, shown) => {
		expect(findWrongField({ field: shown }, { field: sent })).toBe('field');
	});

	it('is wrong where it is missing only if it must show', () => {
		expect(findWrongField({}, { field: 'x' })).toBeUndefined();
		expect(findWrongField({}, { field: 'x' }, true)).toBe('field');
		expect(findWrongField({}, { field: '' }, true)).toBeUndefined();
	});
});
