import { createHash } from 'crypto';

/** 48 bits: one change in 280,000,000,000,000 is missed. */
export const FINGERPRINT_LENGTH = 8;

/** A short hash of a text, as Base64: 6 bits per character. */
export function hash(text: string, length = FINGERPRINT_LENGTH): string {
	return createHash('sha256').update(text).digest('base64').slice(0, length);
}

/**
 * Writes a JSON value so that values that say the same are equal texts: the order of fields and lists, doubles and what
 * is empty make no difference.
 *
 * @param fold makes texts equal that say the same
 * @returns '' for a value that says nothing: null, empty text, a list or an object of nothing else
 */
export function toCanonicalText(
	value: unknown,
	fold: (text: string) => string = (text) => text,
): string {
	if (value === undefined || value === null || value === '') return '';
	if (typeof value === 'string') return JSON.stringify(fold(value));
	if (typeof value !== 'object') return JSON.stringify(value);
	const isList = Array.isArray(value);
	const texts = Object.entries(value).map(([key, held]) => {
		const text = toCanonicalText(held, fold);
		return isList || text === '' ? text : `${JSON.stringify(key)}:${text}`;
	});
	const text = [...new Set(texts.filter(Boolean))].sort().join();
	if (text === '') return '';
	return isList ? `[${text}]` : `{${text}}`;
}
