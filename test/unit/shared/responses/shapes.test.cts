import { isSameJson, toCanonicalText } from '../../../../nodes/shared/responses/canonicalJson';
import { createKeyFilter } from '../../../../nodes/shared/responses/shapes';

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

it('a name is one of those entered in any spelling, unless another is spelled so', () => {
	const isMeant = (names: string[]) =>
		names.filter(createKeyFilter(['First Name', 'CRM-ID'], names));

	expect(isMeant(['First Name', 'first_name', 'crm_id'])).toEqual(['First Name', 'crm_id']);
	expect(isMeant(['first_name', 'first'])).toEqual(['first_name']);
	const spelled = 'Größe'.normalize('NFD');
	expect([spelled].filter(createKeyFilter(['größe'], [spelled]))).toEqual([spelled]);
});
