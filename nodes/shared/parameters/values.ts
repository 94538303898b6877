import { jsonParse, UserError } from 'n8n-workflow';

import type { Choice } from '../descriptions/options';
import { isObject } from '../responses/shapes';

// What each parser accepts, typed or from an expression, is in the unit tests (kinds). Anything else is a UserError.

/** How many characters a value may have: more than any real one, and few enough to be checked and redacted at once. */
export const MAX_LENGTH = 2000;

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
	if (toMoment(value) !== undefined) return 'The expression returned a date.';
	if (isObject(value)) return 'The expression returned an object.';
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
export function assertLength(text: string, label: string): void {
	if (text.length <= MAX_LENGTH) return;
	throw new UserError(`"${label}" has a value of more than ${MAX_LENGTH} characters`, {
		description: `It has ${text.length}. Enter a shorter one in "${label}". If it comes from an expression, check that it returns the right field.`,
	});
}

/** @param advice what to do, in a sentence */
export function emptyError(label: string, advice: string): UserError {
	return new UserError(`"${label}" is empty`, {
		description: `${advice} If it comes from an expression, check that the field exists in the input item.`,
	});
}

/** An empty list might open a container to everyone or to nobody. */
export function assertNotEmpty(list: unknown[], label: string): void {
	if (list.length > 0) return;
	throw emptyError(label, `Enter at least one entry in "${label}".`);
}

export function parseText(value: unknown, label: string): string {
	if (typeof value === 'string') return value;
	const isPlain = typeof value === 'boolean' || Number.isFinite(value);
	const text = isPlain ? String(value) : toMoment(value)?.toISOString();
	if (text !== undefined) return text;
	throw new UserError(`"${label}" is ${(value ?? null) === null ? 'empty' : 'not text'}`, {
		description: `${describeValue(value)} Enter text in "${label}". If it comes from an expression, check that the field exists in the input item.`,
	});
}

/** As parseText, for all but the content of a file. */
export function parseShortText(value: unknown, label: string): string {
	const text = parseText(value, label);
	assertLength(text, label);
	return text;
}

export function parseInteger(
	value: unknown,
	label: string,
	min = -Infinity,
	max = Infinity,
): number {
	const isText = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value);
	const number = (isText ? Number(value) : value) as number;
	if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
	const range = max === Infinity ? `${min} or more` : `from ${min} to ${max}`;
	throw new UserError(`"${label}" must be a whole number, ${range}`, {
		description: `${describeValue(value)} Enter a whole number, ${range}, in "${label}".`,
	});
}

export function parseBoolean(value: unknown, label: string): boolean {
	const text = String(value).trim().toLowerCase();
	if (text === 'true' || text === 'false') return text === 'true';
	throw new UserError(`"${label}" must be true or false`, {
		description: `${describeValue(value)} Turn "${label}" on or off, or use an expression that returns true or false.`,
	});
}

export function parseChoice<Value extends string>(
	value: unknown,
	label: string,
	choices: ReadonlyArray<Choice<Value>>,
): Value {
	const text = String(value).trim().toLowerCase();
	const isMeant = (form: string) => form.toLowerCase() === text;
	const found = choices.find((choice) => isMeant(choice.value) || isMeant(choice.name));
	if (found !== undefined) return found.value;
	const listed = choices.map((choice) => `${choice.value} (${choice.name})`).join(', ');
	throw new UserError(`"${label}" has an unknown value`, {
		description: `${describeValue(value)} Choose from the list in "${label}", or use an expression that returns one of: ${listed}.`,
	});
}

/** The entries of an array, or of text with commas, semicolons or line breaks, each once. @throws UserError */
export function parseList(value: unknown, label: string): string[] {
	const texts = toArray(value).flatMap((entry) => parseText(entry, label).split(/[,;\r\n]/));
	const entries = new Set(texts.map((text) => text.trim()).filter((text) => text !== ''));
	for (const entry of entries) assertLength(entry, label);
	return [...entries];
}

/** AI agents enter a list as JSON in a text, which often ends with a separator. */
export function toArray(value: unknown): unknown[] {
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	const text = value.trim().replace(/[,;]$/, '');
	const parsed = jsonParse<unknown>(text, { fallbackValue: text });
	return Array.isArray(parsed) ? parsed : [text];
}
