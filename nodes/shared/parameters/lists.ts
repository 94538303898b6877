import { UserError } from 'n8n-workflow';

import { assertLength } from './lengths';
import { describeValue, parseJsonArray } from './values';

/**
 * Parses a list that may be typed or come from an expression.
 *
 * @param value text with entries separated by commas, semicolons or line breaks, or an array
 * @param label display name of the field, for the message
 * @returns the entries, trimmed and without duplicates, in their order
 * @throws UserError when an entry is not text, or too long
 */
export function parseList(value: unknown, label: string): string[] {
	return split(toArray(value), label, (entry) => {
		throw new UserError(`"${label}" contains an entry that is not text`, {
			description: `${describeValue(entry)} Enter text separated by commas in "${label}", or use an expression that returns a list of strings.`,
		});
	});
}

/** As parseList, for a field that can be empty, but whose expression has to return something. */
export function parseOptionalList(value: unknown, label: string): string[] {
	if (value !== undefined && value !== null) return parseList(value, label);
	throw new UserError(`"${label}" is empty`, {
		description: `${describeValue(value)} Enter text separated by commas in "${label}", or clear the field.`,
	});
}

/**
 * Parses a list of email addresses. Wildcards such as `*@example.com` are addresses too.
 *
 * @param value as in parseList, or objects with `email`
 * @param label display name of the field, for the message
 * @returns the addresses, without names, quotes, brackets and `mailto:`
 * @throws UserError naming the first entry that is not an address
 */
export function parseAddresses(value: unknown, label: string): string[] {
	const entries = parseList(toArray(value).map(getEmail).map(withoutQuotedName), label);
	const addresses = [...new Set(entries.map((entry) => cleanAddress(entry) || entry))];
	for (const address of addresses) assertAddress(address, label);
	return addresses;
}

/** The `email` of an object, such as a contact or a user; any other value unchanged. */
export function getEmail(value: unknown): unknown {
	const isObject = typeof value === 'object' && value !== null && 'email' in value;
	return isObject ? value.email : value;
}

/** `"Berg, Anna" <anna@example.com>` is one entry. */
function withoutQuotedName(entry: unknown): unknown {
	return typeof entry === 'string' ? entry.replace(/"[^"<>]*"\s*</g, '<') : entry;
}

/** Removes what surrounds an address where people copy it from: a name, quotes, brackets, `mailto:`. */
export function cleanAddress(text: string): string {
	return text
		.trim()
		.replace(/^(["'])(.*)\1$/s, '$2')
		.trim()
		.replace(/^[^<>]*<([^<>]*)>$/, '$1')
		.replace(/^mailto:([^?]*)(\?.*)?/is, '$1')
		.trim();
}

/**
 * Checks one email address as far as can be known here: something on both sides of an @, and no spaces.
 *
 * @param entry the address
 * @param label display name of the field, for the message
 * @param advice what to enter instead; otherwise for a list
 * @throws UserError when it is not an address
 */
export function assertAddress(entry: string, label: string, advice?: string): void {
	assertLength(entry, 'address', label, 'An address');
	// Brackets and quotes are what is left of a list that could not be parsed.
	if (/^[^\s@<>"()[\]{}]+@[^\s@<>"()[\]{}]+$/.test(entry)) return;
	throw new UserError(`"${entry.slice(0, 100)}" in "${label}" is not an email address`, {
		description:
			advice ??
			(entry.includes('@')
				? `Enter an address such as anna@example.com in "${label}", without spaces, or Anna Berg <anna@example.com>.`
				: `It has no @. Enter an address such as anna@example.com in "${label}".`),
	});
}

function toArray(value: unknown): unknown[] {
	if (value === undefined || value === null) return [];
	const parsed = parseJsonArray(typeof value === 'string' ? withoutLastSeparator(value) : value);
	return Array.isArray(parsed) ? parsed : [parsed];
}

/** A list often ends with a separator, also a JSON array as text. */
function withoutLastSeparator(text: string): string {
	const trimmed = text.trim();
	return /[,;]$/.test(trimmed) ? trimmed.slice(0, -1) : trimmed;
}

function split(entries: unknown[], label: string, reject: (entry: unknown) => never): string[] {
	const texts = entries.flatMap((entry) =>
		typeof entry === 'string' ? entry.split(/[,;\r\n]/) : reject(entry),
	);
	const trimmed = new Set(texts.map((text) => text.trim()).filter((text) => text !== ''));
	for (const text of trimmed) assertLength(text, 'name', label, 'An entry');
	return [...trimmed];
}
