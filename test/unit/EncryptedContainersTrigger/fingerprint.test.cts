import { hash, FINGERPRINT_LENGTH } from '../../../nodes/EncryptedContainersTrigger/fingerprint';

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
