import {
	canonicalJson,
	hash,
	FINGERPRINT_LENGTH,
	IDENTITY_LENGTH,
} from '../../../nodes/EncryptedContainersTrigger/fingerprint';

describe('a digest', () => {
	it('is as long as it should be and holds nothing of the text', () => {
		expect(hash('anna@example.com', IDENTITY_LENGTH)).toMatch(/^[\w+/]{12}$/);
		expect(hash('anna@example.com', FINGERPRINT_LENGTH)).toMatch(/^[\w+/]{8}$/);
	});

	it('tells a hundred thousand identifiers apart', () => {
		const digests = new Set(
			Array.from({ length: 100_000 }, (_, number) => hash(`c-${number}`, IDENTITY_LENGTH)),
		);

		expect(digests.size).toBe(100_000);
	});
});

describe('canonical JSON', () => {
	it('is the same for any order of keys, at any depth', () => {
		const one = { name: 'Anna', address: { city: 'Bern', code: 3000 } };
		const other = { address: { code: 3000, city: 'Bern' }, name: 'Anna' };

		expect(canonicalJson(one)).toBe(canonicalJson(other));
	});

	it.each([
		['a value', { a: 1 }, { a: 2 }],
		['the kind of a value', { a: 1 }, { a: '1' }],
		['the name of a key', { a: 1 }, { b: 1 }],
		['a key without a value', { a: null }, {}],
		['where a value stands', { a: { b: 1 } }, { a: 1, b: {} }],
		['what looks like punctuation', ['a","b'], ['a', 'b']],
		['the order of a list', ['a', 'b'], ['b', 'a']],
	])('tells %s apart', (_what, one, other) => {
		expect(canonicalJson(one)).not.toBe(canonicalJson(other));
	});

	it('takes lists for sets where their order means nothing', () => {
		const sets = (value: unknown) => canonicalJson(value, { listsAreSets: true });

		expect(sets({ allow: [{ country: 'CH' }, { country: 'AT' }] })).toBe(
			sets({ allow: [{ country: 'AT' }, { country: 'CH' }] }),
		);
		expect(sets(['a', 'a'])).not.toBe(sets(['a']));
	});

	it('is nothing for nothing', () => {
		expect(canonicalJson(undefined)).toBe('');
		expect(canonicalJson(null)).toBe('');
	});
});
