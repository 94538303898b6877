import { isSameJson, toCanonicalText } from '../../../../nodes/shared/responses/canonicalJson';
import { createKeyFilter, findList } from '../../../../nodes/shared/responses/shapes';

const entries = [{ uuid: 'c-1' }, { uuid: 'c-2' }];
const lists = ['containers', 'contacts', 'data', 'items', 'results', 'content', 'records', 'value'];

describe('a list', () => {
	it.each([
		['an array', entries],
		...[...lists, '_embedded'].map((key): [string, unknown] => [key, { count: 2, [key]: entries }]),
		['an object in an object', { data: { containers: entries } }],
		['three levels', { data: { items: { results: entries } } }],
		['a second key, the first being no list', { data: { total: 2 }, items: entries }],
		['a key beside one that is null', { data: null, results: entries }],
		['the top level before deeper levels', { data: { items: [1] }, results: entries }],
	])('is found in %s', (_shape, value) => {
		expect(findList(value)).toEqual(entries);
	});

	it.each([
		...[[], { items: [] }, null, { containers: null, total: 0 }],
		{ data: { items: null }, error: null },
	])('can be empty: %j', (value) => {
		expect(findList(value)).toEqual([]);
	});

	it.each([
		['another key', { entries }],
		['a key of a class (HATEOAS)', { _embedded: { containerDtoList: entries } }],
		['$values (.NET)', { items: { $id: '2', $values: entries } }],
		['PascalCase (.NET)', { Items: entries }],
		['the result of an envelope (ABP)', { result: { items: entries } }],
		['an object with gaps (PHP)', { data: { 0: entries[0], 2: entries[1] } }],
		['false (PHP)', false],
		['a record', { uuid: 'c-1', name: 'One' }],
		['an inherited key', Object.create({ data: entries })],
		['text', 'data'],
		['a number', 5],
		['nothing', undefined],
	])('is not found in %s', (_shape, value) => {
		expect(findList(value)).toBeUndefined();
	});
});

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
