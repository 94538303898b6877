import { UserError } from 'n8n-workflow';

import { isObject } from '../responses/shapes';

/** How many characters a value may have: more than any real one, and few enough to be checked and redacted at once. */
export const MAX_LENGTHS = { address: 320, id: 2000, name: 1000, password: 200, url: 2000 };

export type LengthKind = keyof typeof MAX_LENGTHS;

const MAX_LISTED = 10;

/** The moment of a Date or of a Luxon DateTime such as `$now`, known by its shape: n8n can use another copy of Luxon. */
export function toMoment(value: unknown): Date | undefined {
	const { toMillis } = (value ?? {}) as { toMillis?: unknown };
	const isMoment = value instanceof Date || typeof toMillis === 'function';
	const moment = new Date(isMoment ? Number(value) : Number.NaN);
	return Number.isNaN(moment.getTime()) ? undefined : moment;
}

export function describeValue(value: unknown): string {
	if (value === undefined || value === null) return 'The expression returned nothing.';
	if (Array.isArray(value)) return 'The expression returned a list.';
	if (typeof value === 'object') {
		return `The expression returned ${toMoment(value) === undefined ? 'an object' : 'a date'}.`;
	}
	const text = String(value).trim().slice(0, 50);
	return text === '' ? 'The field is empty.' : `The value is "${text}".`;
}

export function isExpression(raw: unknown): raw is string {
	return typeof raw === 'string' && raw.startsWith('=');
}

/** Whether a value, as the workflow stores it, is or contains an expression. */
export function hasExpression(raw: unknown): boolean {
	return isObject(raw) ? Object.values(raw).some(hasExpression) : isExpression(raw);
}

/** Enough of a name to recognize it: a longer one would push out what a message says after it. */
export function shorten(text: string): string {
	return text.replace(/^(.{150}).+/su, '$1…');
}

/** The first entries of a list, for a message: `1, 2 and 3 more`. */
export function listSome(entries: Array<string | number>): string {
	const listed = entries.slice(0, MAX_LISTED).map((entry) => shorten(String(entry)));
	const more = entries.length - MAX_LISTED;
	return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** @throws UserError for a value, or an entry of a list, that is too long */
export function assertLength(text: string, kind: LengthKind, label: string): void {
	const max = MAX_LENGTHS[kind];
	if (text.length <= max) return;
	throw new UserError(`"${label}" has a value of more than ${max} characters`, {
		description: `It has ${text.length}. Enter a shorter one in "${label}". If it comes from an expression, check that it returns the right field.`,
	});
}
