import { isSameJson, toCanonicalText } from '../../../../nodes/shared/responses/canonicalJson';

it.each<[unknown, unknown, boolean]>([
	[[1, [2]], [1, [2]], true],
	[{ a: 1, b: { c: [] } }, { b: { c: [] }, a: 1 }, true],
	['', null, false],
	[[], {}, false],
	[[null], [], false],
	[1, '1', false],
	[{ constructor: 1 }, {}, false],
	[{ a: undefined }, { b: undefined }, false],
	[[1, 2], [2, 1], false],
])('%j and %j are the same JSON: %s', (one, two, isSame) => {
	expect(isSameJson(one, two)).toBe(isSame);
	expect(isSameJson(two, one)).toBe(isSame);
});

it.each<[unknown, unknown, boolean]>([
	[{ a: 1, b: [1, 2] }, { b: [2, 1], a: 1 }, true],
	[{ a: null, b: '', c: [], d: {}, e: [{ f: null }] }, {}, true],
	[['x', 'x'], ['x'], true],
	[{ a: 1 }, { a: '1' }, false],
	[{ a: 0 }, {}, false],
	[{ a: false }, {}, false],
	[{ a: 'X' }, { a: 'x' }, false],
	[{ a: ' ' }, {}, false],
	[[['a', 'b'], 'c'], [['a'], 'b', 'c'], false],
])('%j and %j have the same canonical text: %s', (one, two, isSame) => {
	expect(toCanonicalText(one) === toCanonicalText(two)).toBe(isSame);
});
