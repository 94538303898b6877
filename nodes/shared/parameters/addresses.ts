import { UserError } from 'n8n-workflow';

import { isObject } from '../responses/shapes';
import { assertLength, MAX_LENGTH, parseList, toArray } from './values';

/** Of these, which can be many, only capitals can differ. */
const USUAL = /^[\w.+*-]+@[\w*-]+(\.[\w*-]+)*$/;

/** As parseList, for addresses, also with names, wildcards, and objects with `email`. Of several forms, the first stays. */
export function parseAddresses(value: unknown, label: string): string[] {
	const given = toArray(value ?? []).map(getEmail);
	// Tables and services write null for nobody.
	const addresses = given.filter((entry) => entry !== null && entry !== undefined);
	const texts = addresses.map((entry) => (typeof entry === 'string' ? omitNames(entry) : entry));
	const entries = parseList(texts, label).map((entry) => cleanAddress(entry) || entry);
	for (const entry of entries) assertAddress(entry, label);
	return omitRepeated(entries);
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

/** Without what people copy along: a name, quotes, brackets, `mailto:`, invisible characters. */
export function cleanAddress(text: string): string {
	const visible = text.replace(/\p{Cf}/gu, '').trim();
	const unquoted = visible.replace(/^(["'])(.*)\1$/s, '$2').trim();
	const named = unquoted.replace(/^[^<>]*<([^<>]*)>$/, '$1');
	return named.replace(/^mailto:([^?]*)(\?.*)?/is, '$1').trim();
}

/** @throws UserError for what can't be an address. `advice` says what to enter instead, where it is not a list */
export function assertAddress(entry: string, label: string, advice?: string): void {
	assertLength(entry, label);
	// Brackets and quotes are what is left of a list that could not be parsed.
	if (/^[^\s@<>"()[\]{}]+@[^\s@<>"()[\]{}]+$/.test(entry)) return;
	const example = 'Enter addresses such as anna@example.com or Anna Berg <anna@example.com>';
	throw new UserError(`"${entry.slice(0, 100)}" in "${label}" is not an email address`, {
		description: advice ?? `${example} in "${label}", separated by commas.`,
	});
}

/**
 * One text for one person: a name, capitals, spaces, invisible characters, the form of Unicode, and a domain in Unicode or
 * as `xn--` make no difference. Wildcards stay.
 */
export function toAddressKey(address: string): string {
	if (USUAL.test(address) || address.length > MAX_LENGTH) return address.toLowerCase();
	const text = cleanAddress(address.normalize('NFKC')).toLowerCase();
	const at = text.lastIndexOf('@');
	if (at === -1) return text;
	const domain = text.slice(at + 1).replace(/[.。]$/, '');
	// Only a URL knows how DNS has it: the `x` keeps it from reading a number as an IP address.
	const url = `http://${encodeURIComponent(domain)}.x`;
	const ascii = URL.canParse(url) ? new URL(url).hostname.slice(0, -2) : domain;
	return `${text.slice(0, at)}@${ascii}`;
}

export function omitRepeated(addresses: string[]): string[] {
	const keys = new Set<string>();
	return addresses.filter((address) => keys.size < keys.add(toAddressKey(address)).size);
}

export function isWildcard(address: string): boolean {
	return toAddressKey(address).includes('*');
}

/** Whether a recipient names nobody: `*`, `*@*`, `**@*.*`. */
export function isForEverybody(address: string): boolean {
	return /^[.@]*\*[*.@]*$/.test(toAddressKey(address));
}

/** A test for what is in a list, in any form, or covered by a wildcard in it: an address, or all that a wildcard covers. */
export function covers(list: string[]): (address: string) => boolean {
	const keys = new Set(list.map(toAddressKey));
	const matchers = [...keys].filter((key) => key.includes('*')).map(createMatcher);
	return (address) => {
		const key = toAddressKey(address);
		return keys.has(key) || matchers.some((matches) => matches(key));
	};
}

/** Whether there can be an address that both cover, such as `anna@*` and `*@example.com`. A domain alone is all in it. */
export function overlaps(one: string, other: string): boolean {
	const first = splitAddress(one);
	const second = splitAddress(other);
	const meets = (text: string, pattern: string) =>
		createMatcher(pattern)(text) || createMatcher(text)(pattern);
	return meets(first.name, second.name) && meets(first.domain, second.domain);
}

function splitAddress(address: string): { name: string; domain: string } {
	const key = toAddressKey(address);
	const at = key.lastIndexOf('@');
	return { name: key.slice(0, Math.max(0, at)) || '*', domain: key.slice(at + 1) };
}

/**
 * A test for whole texts: `*` stands for any characters, `?` for one. Takes time in proportion to a text, whatever the
 * pattern: no piece is tried twice from one place.
 */
export function createMatcher(pattern: string): (text: string) => boolean {
	const pieces = pattern
		.replace(/[$()+.[\\\]^{|}]/g, '\\$&')
		.replaceAll('?', '.')
		.split('*');
	const searches = pieces.map((piece, index) => {
		const end = index === pieces.length - 1 ? '$' : '';
		return new RegExp(`${index === 0 ? '^' : ''}${piece}${end}`, 'gsu');
	});
	return (text) => {
		let from = 0;
		return searches.every((search) => {
			search.lastIndex = from;
			const isFound = search.test(text);
			from = search.lastIndex;
			return isFound;
		});
	};
}
