import { toAddressKey } from '../../../shared/parameters/addresses';
import { toMoment } from '../../../shared/parameters/values';
import { isSameJson } from '../../../shared/responses/canonicalJson';
import { isRecord } from '../../../shared/responses/shapes';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/**
 * Whether two values of a contact's field are the same. Services store an empty text as nothing, a phone number as text,
 * a date as a timestamp, and an address in lower case: those are no differences.
 */
export function isSameValue(one: unknown, other: unknown): boolean {
	return isSameJson(normalize(one), normalize(other));
}

function normalize(value: unknown): unknown {
	if (value === undefined || value === '') return null;
	const moment = toMoment(value);
	if (moment !== undefined) return moment.toISOString();
	if (typeof value === 'string') return normalizeText(value);
	if (typeof value === 'number') return String(value);
	if (Array.isArray(value)) return value.map(normalize);
	if (!isRecord(value)) return value;
	const fields = Object.entries(value).map(([key, field]) => [key, normalize(field)]);
	return Object.fromEntries(fields.filter(([, field]) => field !== null));
}

function normalizeText(text: string): string {
	const isTimestamp = TIMESTAMP.test(text) && !Number.isNaN(Date.parse(text));
	if (isTimestamp) return new Date(text).toISOString();
	return /^[^\s@]+@\S+$/.test(text.trim()) ? toAddressKey(text) : text.normalize('NFC');
}
