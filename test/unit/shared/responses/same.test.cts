import { listChangedFields } from '../../../../nodes/EncryptedContainers/resources/contact/contactRecords';
import { isSameRule } from '../../../../nodes/shared/api/shownRules';
import { toCanonicalText } from '../../../../nodes/shared/responses/shapes';
import { rowsOf } from '../../../support/texts.cts';

it.each<[unknown, unknown, boolean]>([
	[{ a: 1, b: [1, 2] }, { b: [2, 1], a: 1 }, true],
	[{ a: null, b: '', c: [], d: {}, e: [{ f: null }] }, {}, true],
	[['x', 'x'], ['x'], true],
	[{ a: 1 }, { a: '1' }, false],
	[{ a: 0, b: false }, {}, false],
	[{ a: 'X' }, { a: 'x' }, false],
	[{ a: ' ' }, {}, false],
	[[['a', 'b'], 'c'], [['a'], 'b', 'c'], false],
])('%j and %j have the same canonical text: %s', (one, two, isSame) => {
	expect(toCanonicalText(one) === toCanonicalText(two)).toBe(isSame);
});

it.each<[unknown, unknown, boolean]>([
	[['Anna <A@münchen.de>', 'b@x'], ['b@x', ' a@xn--mnchen-3ya.de'], true],
	[[{ country: 'CH', city: null }], [{ country: 'ch ' }], true],
	[undefined, { start: '', end: null }, true],
	[3, '3', false],
	[false, undefined, false],
	[['a'], 'a', false],
	[['a', 'b'], ['a'], false],
	[{ allow: ['a'] }, { block: ['a'] }, false],
	[['STRASSE'], ['straße'], false],
])('the values %j and %j of a rule mean the same: %s', (one, other, isSame) => {
	expect(isSameRule(one, other)).toBe(isSame);
	expect(isSameRule(other, one)).toBe(isSame);
});

const contactWith = (field: unknown) => ({ email: 'a@x.example', field: field as string });

it.each(
	rowsOf<[shown: unknown, sent: unknown]>(`
		nothing and only spaces: [null, "  "]
		spaces around it: ["Anna", " Anna "]
		a number as text: ["8001", 8001]
		a flag as text: [true, "true"]
		the order of fields: [{ a: 1, b: 2 }, { b: 2, a: 1 }]
	`),
)('a value of a contact is the same in spite of %s', (_what, [shown, sent]) => {
	expect(listChangedFields(contactWith(shown), { field: sent as string })).toEqual([]);
});

it('a field that a contact lacks is the same as an empty one', () => {
	const sent = { company: null, note: '', age: 5 };
	expect(listChangedFields({ email: 'a@x.example' }, sent)).toEqual(['age']);
});

it.each([
	['08001', 8001],
	['Anna', 'ANNA'],
	['2026-01-02T00:00:00.000Z', '2026-01-02'],
	[0, ''],
	['X', null],
	[{ a: 1 }, { a: 2 }],
])('a value of a contact differs: %j, %j', (shown, sent) => {
	expect(listChangedFields({ contact: contactWith(shown) }, { field: sent })).toEqual(['field']);
});
