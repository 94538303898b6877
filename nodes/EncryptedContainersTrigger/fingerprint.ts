import { createHash } from 'crypto';

/** 48 bits: one change in 280,000,000,000,000 is missed. */
export const FINGERPRINT_LENGTH = 8;

/** A short hash of a text, as Base64: 6 bits per character. */
export function hash(text: string, length = FINGERPRINT_LENGTH): string {
	return createHash('sha256').update(text).digest('base64').slice(0, length);
}
