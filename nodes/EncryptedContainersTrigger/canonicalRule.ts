import { isRecord } from '../shared/responses/shapes';
import { parseServiceDate } from '../shared/parameters/dates';

const FLAGS = ['dynamic', 'downloadable'];

/**
 * Writes the value of a rule so that equal rules are equal texts, however the service spells them: capitals of addresses
 * and country codes, the order of lists, doubles, numbers and flags as text, and what is empty, null or missing.
 */
export function canonicalRule(key: string, value: unknown): string {
	if (FLAGS.includes(key)) return canonicalFlag(value);
	if (key === 'time' && isRecord(value)) {
		const days = Object.entries(value).map(([name, date]) => [
			name,
			parseServiceDate(date) ?? date,
		]);
		return canonicalValue(Object.fromEntries(days));
	}
	return canonicalValue(value);
}

function canonicalFlag(value: unknown): string {
	const text = canonicalValue(value);
	return ({ '1': 'true', '0': 'false' } as Record<string, string | undefined>)[text] ?? text;
}

/** Empty for what says nothing: null, an empty text, list or object, or one of those only. */
function canonicalValue(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (Array.isArray(value)) {
		const entries = new Set(value.map(canonicalValue));
		entries.delete('');
		return entries.size === 0 ? '' : `[${[...entries].sort().join('\n')}]`;
	}
	if (isRecord(value)) {
		const fields = Object.entries(value)
			.map(([name, entry]) => [name, canonicalValue(entry)])
			.filter(([, text]) => text !== '');
		return fields.length === 0
			? ''
			: `{${fields
					.map(([name, text]) => `${name}:${text}`)
					.sort()
					.join('\n')}}`;
	}
	const text = String(value).trim().toLowerCase();
	return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text;
}
