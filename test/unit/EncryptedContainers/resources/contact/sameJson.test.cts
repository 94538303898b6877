import { sameJson } from '../../../../../nodes/EncryptedContainers/resources/contact/sameJson';

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
		expect(sameJson(one, other)).toBe(true);
		expect(sameJson(other, one)).toBe(true);
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
	])('differ: %j and %j', (one, other) => {
		expect(sameJson(one, other)).toBe(false);
		expect(sameJson(other, one)).toBe(false);
	});
});
