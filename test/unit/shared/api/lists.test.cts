import { CONTACT_LIST, CONTAINER_LIST, groupById } from '../../../../nodes/shared/api/lists';
import { toRecord } from '../../../../nodes/shared/api/records';

const groupEntries = (entries: unknown[]) =>
	groupById(
		entries
			.map((entry) => toRecord(entry, CONTAINER_LIST.scalarKey))
			.filter((record) => record !== undefined),
		CONTAINER_LIST,
	);

describe('the entries of a list', () => {
	it.each([
		['plain records', { uuid: 'c-1', name: 'One' }],
		['envelopes', { org_id: 'u-1', container: { uuid: 'c-1', name: 'One' } }],
		['records with other key names', { id: 'c-1', name: 'One' }],
	])('have an identifier as %s', (_form, record) => {
		expect(groupById([record], CONTAINER_LIST)).toEqual([
			{ id: 'c-1', name: 'One', record, duplicates: [] },
		]);
	});

	it.each([
		['text', 'c-1', 'c-1'],
		['a number', 17, '17'],
	])('have an identifier as plain %s', (_form, entry, id) => {
		expect(groupEntries([entry])).toEqual([
			{ id, name: undefined, record: { uuid: id }, duplicates: [] },
		]);
	});

	it('appear once, and the first one wins', () => {
		const one = { email: 'a@example.com', first_name: 'One' };
		const two = { email: 'a@example.com', first_name: 'Two' };
		const other = { email: 'b@example.com' };

		expect(groupById([one, other, two], CONTACT_LIST)).toEqual([
			{ id: 'a@example.com', name: undefined, record: one, duplicates: [two] },
			{ id: 'b@example.com', name: undefined, record: other, duplicates: [] },
		]);
	});

	it('are dropped when they have no identifier', () => {
		const entries = [null, undefined, {}, [], true, { name: 'x' }];
		expect(groupEntries(entries)).toEqual([]);
	});
});
