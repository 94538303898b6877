import { findList, reportsFailure } from '../../../../nodes/shared/responses/shapes';

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

	it('is empty when it is null, unless the response contains an error', () => {
		expect(findList(null)).toEqual([]);
		expect(findList({ containers: null, total: 0 })).toEqual([]);
		expect(findList({ data: { items: null }, error: null })).toEqual([]);
		expect(findList({ data: null, errors: [{ message: 'not now' }] })).toBeUndefined();
		expect(findList({ data: null, error: 'not now' })).toBeUndefined();
	});

	it.each([
		['another key', { entries }],
		['a record', { uuid: 'c-1', name: 'One' }],
		['an inherited key', Object.create({ data: entries })],
		['text', 'data'],
		['a number', 5],
		['nothing', undefined],
	])('is not found in %s', (_shape, value) => {
		expect(findList(value)).toBeUndefined();
	});
});

describe('a body', () => {
	const failures = [
		...[{ error: 'not now' }, { error: true }, { error: { code: 1 } }, { errors: ['not now'] }],
		...[{ success: false }, { success: 0 }, { success: 'false' }, { success: '0' }, { ok: false }],
		...['error', 'FAIL', 'failed', 'Failure', '404', '500', 400, 599].map((status) => ({ status })),
		...[{ result: 'error' }, { statusCode: 503 }, { code: '422' }],
	];
	const successes = [
		...[{}, { error: null }, { error: '' }, { error: false }, { error: 0 }, { errors: [] }],
		...[{ error: {} }, { success: true }, { success: 1 }, { ok: 'yes' }, { ok: null }],
		...['ok', 'errors', 'no error', 'failing', '200', '600', '4x4', '40x', '1404', '4040'].map(
			(status) => ({ status }),
		),
		...[399, 600, 200, null, ['error'], ['404']].map((status) => ({ status })),
	];

	it.each(failures)('reports a failure: %j', (body) => {
		expect(reportsFailure(body)).toBe(true);
		expect(reportsFailure(body, true)).toBe(true);
	});

	it.each([...successes, [], 'error', null, 500])('reports no failure: %j', (body) => {
		expect(reportsFailure(body)).toBe(false);
		expect(reportsFailure(body, true)).toBe(false);
	});

	it('reports that nothing was deleted, unless it is a record', () => {
		expect(reportsFailure({ deleted: false })).toBe(true);
		expect(reportsFailure({ deleted: true })).toBe(false);
		expect(reportsFailure({ deleted: false }, true)).toBe(false);
	});

	it.each(['uuid', 'UUID', 'id', 'Id', 'container', 'Container', 'contact', 'email', 'E-Mail'])(
		'is a record, whatever its fields, if it has %s',
		(key) => {
			for (const own of [{ status: 'failed' }, { status: false }, { Success: false }]) {
				expect(reportsFailure({ [key]: 'x', ...own }, true)).toBe(false);
				expect(reportsFailure({ [key]: 'x', ...own })).toBe(true);
				expect(reportsFailure({ [key]: '', ...own }, true)).toBe(true);
			}
		},
	);
});
