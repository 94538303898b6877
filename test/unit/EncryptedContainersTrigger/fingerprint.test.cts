import {
	canonicalJson,
	hash,
	FINGERPRINT_LENGTH,
	IDENTITY_LENGTH,
} from '../../../nodes/EncryptedContainersTrigger/fingerprint';

describe('a fingerprint', () => {
	it('has the expected length and contains nothing of the text', () => {
		expect(hash('anna@example.com', IDENTITY_LENGTH)).toMatch(/^[\w+/]{12}$/);
		expect(hash('anna@example.com', FINGERPRINT_LENGTH)).toMatch(/^[\w+/]{8}$/);
	});

	it('is distinct for a hundred thousand identifiers', () => {
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
		['the type of a value', { a: 1 }, { a: '1' }],
		['the name of a key', { a: 1 }, { b: 1 }],
		['a key without a value', { a: null }, {}],
		['the position of a value', { a: { b: 1 } }, { a: 1, b: {} }],
		['punctuation in text', ['a","b'], ['a', 'b']],
		['the order of a list', ['a', 'b'], ['b', 'a']],
	])('depends on %s', (_what, one, other) => {
		expect(canonicalJson(one)).not.toBe(canonicalJson(other));
	});

	it('ignores the order of lists where it has no meaning', () => {
		const sets = (value: unknown) => canonicalJson(value, { listsAreSets: true });

		expect(sets({ allow: [{ country: 'CH' }, { country: 'AT' }] })).toBe(
			sets({ allow: [{ country: 'AT' }, { country: 'CH' }] }),
		);
		expect(sets(['a', 'a'])).not.toBe(sets(['a']));
	});

	it('is empty for undefined', () => {
		expect(canonicalJson(undefined)).toBe('');
		expect(canonicalJson(null)).toBe('');
	});
});
