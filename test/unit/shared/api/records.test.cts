import { findRules } from '../../../../nodes/shared/api/drmRules';
import {
	getContactEmail,
	getContainerIdentity,
	toRecord,
	unwrapContact,
} from '../../../../nodes/shared/api/records';
import { findList } from '../../../../nodes/shared/responses/shapes';

const entries = [{ uuid: 'c-1' }, { uuid: 'c-2' }];

describe('a list', () => {
	it.each([
		['an array', entries],
		...['containers', 'contacts', 'data', 'items', 'results'].map((key): [string, unknown] => [
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

describe('an entry', () => {
	it.each([
		['a record', { uuid: 'c-1' }, { uuid: 'c-1' }],
		['text', 'c-1', { uuid: 'c-1' }],
		['a number', 17, { uuid: '17' }],
		['true', true, { value: true }],
		['a list', [1], { value: [1] }],
		['null', null, undefined],
		['nothing', undefined, undefined],
	])('becomes one JSON object, or nothing, from %s', (_what, entry, record) => {
		expect(toRecord(entry, 'uuid')).toEqual(record);
	});
});

describe('a container', () => {
	it.each([
		['an envelope', { org_id: 'u', container: { uuid: 'c', name: 'N' } }, { id: 'c', name: 'N' }],
		['a plain record', { uuid: 'c', name: 'N' }, { id: 'c', name: 'N' }],
		['a record with an id', { id: 'c', name: 'N' }, { id: 'c', name: 'N' }],
		['a record with a number', { uuid: 5, name: 7 }, { id: '5', name: '7' }],
		['a record with a container_id', { container_id: 'c' }, { id: 'c', name: undefined }],
		['an empty envelope', { container: null, uuid: 'c' }, { id: 'c', name: undefined }],
		['empty texts', { uuid: '', name: '' }, { id: undefined, name: undefined }],
	])('has an identifier and a name in %s', (_shape, record, expected) => {
		expect(getContainerIdentity(record)).toEqual(expected);
	});
});

describe('a contact', () => {
	it.each(['email', 'email_address', 'emailAddress', 'mail', 'address'])(
		'has its email address under %s, wrapped or not',
		(key) => {
			const record = { [key]: 'a@example.com', company: 'X' };
			expect(getContactEmail(record)).toBe('a@example.com');
			expect(getContactEmail({ contact: record })).toBe('a@example.com');
			expect(unwrapContact({ contact: record })).toBe(record);
		},
	);

	it('can have no email address', () => {
		expect(getContactEmail({ company: 'X' })).toBeUndefined();
	});
});

describe('rules', () => {
	const rules = {
		dynamic: true,
		geo: { allow: [{ country: 'CH' }] },
		ip: { block: ['192.0.2.0/24'] },
		opens: 3,
		time: { end: '2026-12-31' },
		downloadable: false,
		recipients: ['a@example.com'],
	};

	it.each([
		['bare', rules],
		['under drm', { drm: rules }],
		['under rules', { rules }],
		['under drm_rules', { drm_rules: rules }],
		['under data', { data: rules }],
		['under data and drm', { data: { drm: rules } }],
		['in an envelope', { org_id: 'u', container: { uuid: 'c', drm: rules } }],
		['beside a message', { message: 'Updated', drm: rules }],
	])('are found %s, with complete documented keys', (_shape, value) => {
		expect(findRules(value).rules).toEqual(rules);
	});

	it('contain only the seven documented keys', () => {
		expect(findRules({ drm: { ...rules, uuid: 'c', updated: 'now' } }).rules).toEqual(rules);
		expect(findRules({ ...rules, uuid: 'c', updated: 'now' }).rules).toEqual(rules);
	});

	it('omit what is not set', () => {
		expect(findRules({ opens: 2, geo: null, time: null }).rules).toEqual({ opens: 2 });
	});

	it('can be empty under their name', () => {
		expect(findRules({ drm: {} }).rules).toEqual({});
		expect(findRules({ container_id: 'c-1', drm: null }).rules).toEqual({});
	});

	it.each([
		['a message', { message: 'The rules were changed', status: 'ok' }],
		['a message with a time', { message: 'ok', time: '2026-11-21T10:00:00Z' }],
		['a message with counted opens as text', { opens: 'unlimited' }],
		['a list', [rules]],
		['text', 'dynamic'],
		['null', null],
		['a place that is too deep', { a: { b: { c: { drm: rules } } } }],
	])('are not found in %s', (_shape, value) => {
		expect(findRules(value).rules).toBeUndefined();
	});
});
