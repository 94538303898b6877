import { toCanonicalText } from '../../../../nodes/shared/responses/shapes';

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
