import { jsonParse, UserError } from 'n8n-workflow';

import { isObject } from '../responses/shapes';
import { parseText } from './scalars';
import { assertLength } from './values';

/** The entries of an array, or of text with commas, semicolons or line breaks, each once. @throws UserError */
export function parseList(value: unknown, label: string): string[] {
	const texts = toArray(value).flatMap((entry) => parseText(entry, label).split(/[,;\r\n]/));
	const entries = new Set(texts.map((text) => text.trim()).filter((text) => text !== ''));
	for (const entry of entries) assertLength(entry, 'name', label);
	return [...entries];
}

/** As parseList, for email addresses, also with names, wildcards such as `*@example.com`, and objects with `email`. */
export function parseAddresses(value: unknown, label: string): string[] {
	const texts = toArray(value ?? []).map((entry) => {
		const address = getEmail(entry);
		return typeof address === 'string' ? omitNames(address) : address;
	});
	const entries = parseList(texts, label).map((entry) => cleanAddress(entry) || entry);
	for (const entry of entries) assertAddress(entry, label);
	return [...new Set(entries)];
}

/** Mail programs write `Berg, Anna <anna@example.com>; Bob <bob@example.com>`: a comma in a name separates nothing. */
function omitNames(text: string): string {
	const unquoted = text.replace(/"[^"<>]*"\s*</g, '<');
	return unquoted.replace(/(^|[,;\r\n])[^"@<>;\r\n]{0,200}</g, '$1<');
}

/** The `email` of an object, such as a contact or a user; any other value unchanged. */
export function getEmail(value: unknown): unknown {
	return isObject(value) && 'email' in value ? value.email : value;
}

/** Removes what surrounds an address where people copy it from: a name, quotes, brackets, `mailto:`, invisible characters. */
export function cleanAddress(text: string): string {
	const visible = text.replace(/\p{Cf}/gu, '').trim();
	const unquoted = visible.replace(/^(["'])(.*)\1$/s, '$2').trim();
	const named = unquoted.replace(/^[^<>]*<([^<>]*)>$/, '$1');
	return named.replace(/^mailto:([^?]*)(\?.*)?/is, '$1').trim();
}

/** @throws UserError for what can't be an address. `advice` says what to enter instead, where it is not a list */
export function assertAddress(entry: string, label: string, advice?: string): void {
	assertLength(entry, 'address', label);
	// Brackets and quotes are what is left of a list that could not be parsed.
	if (/^[^\s@<>"()[\]{}]+@[^\s@<>"()[\]{}]+$/.test(entry)) return;
	const example = 'Enter addresses such as anna@example.com or Anna Berg <anna@example.com>';
	throw new UserError(`"${entry.slice(0, 100)}" in "${label}" is not an email address`, {
		description: advice ?? `${example} in "${label}", separated by commas.`,
	});
}

/** AI agents enter a list as JSON in a text, which often ends with a separator. */
function toArray(value: unknown): unknown[] {
	if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
	const text = value.trim().replace(/[,;]$/, '');
	const parsed = jsonParse<unknown>(text, { fallbackValue: text });
	return Array.isArray(parsed) ? parsed : [text];
}
