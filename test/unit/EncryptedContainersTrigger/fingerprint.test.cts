import {
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
