import {
	hash,
	FINGERPRINT_LENGTH,
	toCanonicalText,
} from '../../../nodes/EncryptedContainersTrigger/fingerprint';

describe('a fingerprint', () => {
	it('has the expected length and contains nothing of the text', () => {
		expect(hash('anna@example.com', 16)).toMatch(/^[\w+/]{16}$/);
		expect(hash('anna@example.com')).toMatch(/^[\w+/]{8}$/);
		expect(FINGERPRINT_LENGTH).toBe(8);
	});

	it('is distinct for a hundred thousand texts', () => {
		const digests = new Set(Array.from({ length: 100_000 }, (_, number) => hash(`c-${number}`)));

		expect(digests.size).toBe(100_000);
	});
});

describe('a canonical text', () => {
	it.each([
		[
			{ a: 1, b: [1, 2] },
			{ b: [2, 1], a: 1 },
		],
		[{ a: null, b: '', c: [], d: {}, e: [{ f: null }] }, {}],
		[['x', 'x'], ['x']],
	])('is equal for values that say the same: %j, %j', (one, other) => {
		expect(toCanonicalText(one)).toBe(toCanonicalText(other));
	});

	it.each([
		[{ a: 1 }, { a: '1' }],
		[{ a: 0 }, {}],
		[{ a: false }, {}],
		[{ a: 'X' }, { a: 'x' }],
		[{ a: ' ' }, {}],
		[
			[['a', 'b'], 'c'],
			[['a'], 'b', 'c'],
		],
	])('is another one for other values: %j, %j', (one, other) => {
		expect(toCanonicalText(one)).not.toBe(toCanonicalText(other));
	});
});
