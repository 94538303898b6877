import { canonicalJson, isSameJson } from '../../../../nodes/shared/responses/canonicalJson';

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

describe('canonical JSON', () => {
	it('is the same for any order of keys, at any depth', () => {
		const one = { name: 'Anna', address: { city: 'Bern', code: 3000 } };
		const other = { address: { code: 3000, city: 'Bern' }, name: 'Anna' };

		expect(canonicalJson(one)).toBe(canonicalJson(other));
	});

	it.each([
		['a value', { a: 1 }, { a: 2 }],
		['the type of a value', { a: 1 }, { a: '1' }],
		['the name of a key', { a: 1 }, { b: 1 }],
		['a key without a value', { a: null }, {}],
		['the position of a value', { a: { b: 1 } }, { a: 1, b: {} }],
		['punctuation in text', ['a","b'], ['a', 'b']],
		['the order of a list', ['a', 'b'], ['b', 'a']],
	])('depends on %s', (_what, one, other) => {
		expect(canonicalJson(one)).not.toBe(canonicalJson(other));
	});

	it('is empty for undefined', () => {
		expect(canonicalJson(undefined)).toBe('');
		expect(canonicalJson(null)).toBe('');
	});
});
