import { listDifferences } from '../../../../../nodes/EncryptedContainers/resources/contact/contacts';
import { rowsOf } from '../../../../support/texts.cts';

const same = rowsOf<[shown: unknown, sent: unknown]>(`
	nothing and null: [null, null]
	nothing and an empty cell: [null, ""]
	an empty cell and nothing: ["", null]
	only spaces: [null, "  "]
	spaces around it: ["Anna", " Anna "]
	a number as text: ["8001", 8001]
	text as a number: [0.5, "0.5"]
	a flag as text: [true, "true"]
	the order of fields: [{ a: 1, b: 2 }, { b: 2, a: 1 }]
`);

const contactWith = (field: unknown) => ({ email: 'a@x.example', field: field as string });

it.each(same)('a value of a contact is the same in spite of %s', (_what, [shown, sent]) => {
	expect(listDifferences(contactWith(shown), { field: sent as string })).toEqual([]);
});

it('a field that a contact lacks is the same as an empty one', () => {
	const sent = { company: null, note: '', age: 5 };
	expect(listDifferences({ email: 'a@x.example' }, sent)).toEqual(['age']);
});

it.each([
	['08001', '8001'],
	['08001', 8001],
	['DE', 'Germany'],
	['Anna', 'ANNA'],
	['+41 44 000 00 00', '+41440000000'],
	['2026-01-02T00:00:00.000Z', '2026-01-02'],
	[0, ''],
	['X', null],
	[{ a: 1 }, { a: 2 }],
])('a value of a contact differs: %j, %j', (shown, sent) => {
	expect(listDifferences({ contact: contactWith(shown) }, { field: sent })).toEqual(['field']);
});
