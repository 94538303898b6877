import { isSameValue } from '../../../../../nodes/EncryptedContainers/resources/contact/sameValue';

describe('two values of a contact field', () => {
	it.each([
		[1, 1],
		['a', 'a'],
		[null, null],
		[
			[1, [2]],
			[1, [2]],
		],
		[
			{ a: 1, b: { c: [] } },
			{ b: { c: [] }, a: 1 },
		],
		[{}, {}],
		[[], []],
		[null, undefined],
		['', null],
		['Anna@Example.com ', 'anna@example.com'],
		['2026-11-21T10:00:00Z', '2026-11-21T11:00:00.000+01:00'],
		['u\u0308', 'ü'],
		[41791234567, '41791234567'],
		[0.5, '0.5'],
		[{ a: 1 }, { a: 1, b: null, c: '' }],
		[{ a: { b: [1, { c: null }] } }, { a: { b: ['1', {}] } }],
		[{ a: undefined }, { b: undefined }],
		[true, 'true'],
		[null, {}],
		[[], {}],
		[{ a: 1 }, { a: 1, b: ' ', c: [], d: { e: null } }],
		[' Anna\r\nBerg', 'Anna\nBerg '],
		['2026-01-02', '2026-01-02T00:00:00.000Z'],
		['+49 (170) 123-45', '+4917012345'],
	])('are equal: %j and %j', (one, other) => {
		expect(isSameValue(one, other)).toBe(true);
		expect(isSameValue(other, one)).toBe(true);
	});

	it.each([
		[0, false],
		['Anna', 'ANNA'],
		['5', '05'],
		[0, null],
		['', 0],
		[
			[1, 2],
			[2, 1],
		],
		[[1], [1, 2]],
		['1.1', '1.10'],
		['2026-01-02', '2026-01-03T00:00:00Z'],
		[[null], []],
		[{ a: 1 }, { a: 2 }],
		[{ constructor: 1 }, {}],
		[{}, { toString: 1 }],
	])('differ: %j and %j', (one, other) => {
		expect(isSameValue(one, other)).toBe(false);
		expect(isSameValue(other, one)).toBe(false);
	});
});
