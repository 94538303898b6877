import { isSameJson, toCanonicalText } from '../../../../nodes/shared/responses/canonicalJson';

describe('two JSON values', () => {
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
	])('are equal: %j and %j', (one, other) => {
		expect(isSameJson(one, other)).toBe(true);
		expect(isSameJson(other, one)).toBe(true);
	});

	it.each([
		[1, '1'],
		[0, false],
		[null, undefined],
		[null, {}],
		['', null],
		[[], {}],
		[
			[1, 2],
			[2, 1],
		],
		[[1], [1, 2]],
		[{ a: 1 }, { a: 1, b: undefined }],
		[{ a: undefined }, { b: undefined }],
		[{ a: 1 }, { a: 2 }],
		[{ constructor: 1 }, {}],
		[{}, { toString: 1 }],
		[[null], []],
		[[null], [undefined]],
	])('differ: %j and %j', (one, other) => {
		expect(isSameJson(one, other)).toBe(false);
		expect(isSameJson(other, one)).toBe(false);
	});
});

describe('a canonical text', () => {
	it.each([
		[
			{ a: 1, b: [1, 2] },
			{ b: [2, 1], a: 1 },
		],
		[{ a: null, b: '', c: [], d: {}, e: [{ f: null }] }, {}],
		[['x', 'x'], ['x']],
	])('is equal for values that say the same: %j, %j', (one, other) => {
		expect(toCanonicalText(one)).toBe(toCanonicalText(other));
	});

	it.each([
		[{ a: 1 }, { a: '1' }],
		[{ a: 0 }, {}],
		[{ a: false }, {}],
		[{ a: 'X' }, { a: 'x' }],
		[{ a: ' ' }, {}],
		[
			[['a', 'b'], 'c'],
			[['a'], 'b', 'c'],
		],
	])('is another one for other values: %j, %j', (one, other) => {
		expect(toCanonicalText(one)).not.toBe(toCanonicalText(other));
	});
});
