import {
	CONTACTS,
	CONTAINERS,
	tellApart,
} from '../../../nodes/EncryptedContainersTrigger/reading/listing';

describe('the entries of a list', () => {
	it.each([
		['plain records', { uuid: 'c-1', name: 'One' }],
		['envelopes', { org_id: 'u-1', container: { uuid: 'c-1', name: 'One' } }],
		['records under other names', { id: 'c-1', name: 'One' }],
	])('are told apart as %s', (_form, record) => {
		expect(tellApart([record], CONTAINERS)).toEqual([
			{ id: 'c-1', name: 'One', record, duplicates: [] },
		]);
	});

	it.each([
		['text', 'c-1', 'c-1'],
		['a number', 17, '17'],
	])('are told apart as bare %s', (_form, entry, id) => {
		expect(tellApart([entry], CONTAINERS)).toEqual([
			{ id, name: undefined, record: { uuid: id }, duplicates: [] },
		]);
	});

	it('are there once, the first one first', () => {
		const one = { email: 'a@example.com', first_name: 'One' };
		const two = { email: 'a@example.com', first_name: 'Two' };
		const other = { email: 'b@example.com' };

		expect(tellApart([one, other, two], CONTACTS)).toEqual([
			{ id: 'a@example.com', name: undefined, record: one, duplicates: [two] },
			{ id: 'b@example.com', name: undefined, record: other, duplicates: [] },
		]);
	});

	it('are left out where they hold nothing to tell them apart by', () => {
		expect(tellApart([null, undefined, {}, [], true, { name: 'x' }], CONTAINERS)).toEqual([]);
	});
});
