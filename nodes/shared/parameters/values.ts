/**
 * The moment that a value stands for.
 *
 * @param value a Luxon DateTime, such as `$now`, or a Date
 * @returns undefined for anything else, and for an invalid date
 */
export function toMoment(value: unknown): Date | undefined {
	const milliseconds =
		value instanceof Date ? value.getTime() : isDateTime(value) ? value.toMillis() : Number.NaN;
	return Number.isFinite(milliseconds) ? new Date(milliseconds) : undefined;
}

/** States in one sentence what a field holds that can't be used. */
export function describeValue(value: unknown): string {
	if (value === undefined || value === null) return 'The expression returned nothing.';
	if (typeof value === 'string') {
		const text = value.trim();
		return text === '' ? 'The field is empty.' : `The value is "${text.slice(0, 50)}".`;
	}
	if (Array.isArray(value)) {
		return `The expression returned ${value.length === 0 ? 'an empty list' : 'a list'}.`;
	}
	if (typeof value !== 'object') return `The value is ${String(value).slice(0, 50)}.`;
	return `The expression returned ${toMoment(value) === undefined ? 'an object' : 'a date'}.`;
}

/** A JSON array that was entered as text, as AI agents do, becomes the array itself. */
export function parseJsonArray(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		const parsed: unknown = JSON.parse(value);
		return Array.isArray(parsed) ? parsed : value;
	} catch {
		return value;
	}
}

/** n8n's DateTime can be from another copy of Luxon than one that is imported here, so its shape counts. */
function isDateTime(value: unknown): value is { toMillis(): number } {
	return (
		typeof value === 'object' &&
		value !== null &&
		'toMillis' in value &&
		typeof value.toMillis === 'function'
	);
}

/** Whether a parameter, as the workflow stores it, is an expression. */
export function isExpression(raw: unknown): raw is string {
	return typeof raw === 'string' && raw.startsWith('=');
}

const MAX_LISTED = 10;

/** The first entries of a list, for a message: `1, 2 and 3 more`. */
export function listSome(entries: Array<string | number>): string {
	const listed = entries.slice(0, MAX_LISTED).join(', ');
	const more = entries.length - MAX_LISTED;
	return more > 0 ? `${listed} and ${more} more` : listed;
}
