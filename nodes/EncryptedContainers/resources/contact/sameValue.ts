import { isSameJson } from '../../../shared/responses/canonicalJson';

/**
 * Whether two values of a contact's field are the same. A key without a value is the same as no key, and a number is
 * the same as its digits in text, because services store phone numbers as text.
 */
export function isSameValue(one: unknown, other: unknown): boolean {
	return isSameJson(normalize(one), normalize(other));
}

function normalize(value: unknown): unknown {
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'object' || value === null) return value ?? null;
	if (Array.isArray(value)) return value.map(normalize);
	const fields = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
	return Object.fromEntries(fields.map(([key, field]) => [key, normalize(field)]));
}
