import { findList } from '../../../../nodes/shared/responses/shapes';

const entries = [{ uuid: 'c-1' }, { uuid: 'c-2' }];

const lists = ['containers', 'contacts', 'data', 'items', 'results'];

describe('a list', () => {
	it.each([
		['an array', entries],
		...[...lists, 'content', 'records', 'value', '_embedded'].map((key): [string, unknown] => [
			`an object that holds it as ${key}`,
			{ count: 2, [key]: entries },
		]),
		['an object in an object', { data: { containers: entries } }],
		['three levels', { data: { items: { results: entries } } }],
		['a second key, the first being no list', { data: { total: 2 }, items: entries }],
		['a key beside one that is null', { data: null, results: entries }],
	])('is found in %s', (_shape, value) => {
		expect(findList(value)).toEqual(entries);
	});

	it('is taken from the top level before deeper levels', () => {
		expect(findList({ data: { items: [1] }, results: entries })).toEqual(entries);
	});

	it('can be empty', () => {
		expect(findList([])).toEqual([]);
		expect(findList({ items: [] })).toEqual([]);
	});

	it('is empty when it is null', () => {
		expect(findList(null)).toEqual([]);
		expect(findList({ containers: null, total: 0 })).toEqual([]);
		expect(findList({ data: { items: null }, error: null })).toEqual([]);
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
