import { createHash } from 'crypto';

/** 72 bits: among a million records the odds that two are taken for one are 1 in 10,000,000,000. */
export const IDENTITY_LENGTH = 12;

/** 48 bits: a change is overlooked once in 280,000,000,000,000 times. */
export const FINGERPRINT_LENGTH = 8;

/**
 * A short stand-in for a text.
 *
 * @param text any text
 * @param length how many characters of Base64, 6 bits each
 */
export function hash(text: string, length: number): string {
	return createHash('sha256').update(text).digest('base64').slice(0, length);
}

/**
 * Writes a JSON value so that equal values are equal texts.
 *
 * @param value a JSON value; undefined and null are written as nothing
 * @param listsAreSets whether the order of lists means nothing either
 */
export function canonicalJson(
	value: unknown,
	{ listsAreSets = false }: { listsAreSets?: boolean } = {},
): string {
	if (value === undefined || value === null) return '';
	if (typeof value !== 'object') return JSON.stringify(value);
	if (Array.isArray(value)) {
		const entries = value.map((entry) => canonicalJson(entry, { listsAreSets }));
		return `[${(listsAreSets ? entries.sort() : entries).join()}]`;
	}
	const fields = Object.entries(value as object).map(
		([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry, { listsAreSets })}`,
	);
	return `{${fields.sort().join()}}`;
}
