import type { IDataObject } from 'n8n-workflow';

import { toAddressKey } from '../parameters/addresses';
import { MAX_LENGTHS } from '../parameters/values';
import { cleanAddress } from '../parameters/lists';
import { toCanonicalText } from '../responses/canonicalJson';
import { isRecord, pick } from '../responses/shapes';

/** More than any container has, and few enough to be compared at once. */
export const MAX_RECIPIENTS = 10_000;

/** By the documented keys of DRM rules (docs/openapi.yaml, DrmRules). */
const PARSERS: Record<string, (value: unknown) => unknown> = {
	dynamic: parseSwitch,
	geo: parseObject,
	ip: parseObject,
	opens: parseCount,
	time: parseObject,
	downloadable: parseSwitch,
	recipients: parseRecipients,
};

export const RULE_KEYS = Object.keys(PARSERS);

/**
 * Converts the value of a rule to the documented type, from that or from an obvious form of it: `"3"`, `1` for true, `""`
 * and `[]` for nothing, recipients in one text or as objects. Undefined for what can't be understood.
 */
export function parseRule(key: string, value: unknown): unknown {
	return PARSERS[key](value);
}

/** Order, doubles, forms of an address, null and empty lists make no difference. */
export function isSameRule(a: unknown, b: unknown): boolean {
	return toCanonicalRule(a) === toCanonicalRule(b);
}

/** Values that mean the same are equal texts; empty for one that says nothing. */
export function toCanonicalRule(value: unknown): string {
	let count = 0;
	return toCanonicalText(value, (text) => {
		const isAddress = text.includes('@') && ++count <= MAX_RECIPIENTS;
		return isAddress ? toAddressKey(text) : text.trim().toLowerCase();
	});
}

export function isSet(value: unknown): boolean {
	return value !== null && value !== undefined && value !== '';
}

function parseSwitch(value: unknown): boolean | undefined {
	const text = String(value).toLowerCase();
	if (['true', '1'].includes(text)) return true;
	return ['false', '0'].includes(text) ? false : undefined;
}

function parseCount(value: unknown): number | undefined {
	const count = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
	return Number.isSafeInteger(count) ? (count as number) : undefined;
}

function parseObject(value: unknown): IDataObject | undefined {
	if (isRecord(value)) return value;
	return value === '' || (Array.isArray(value) && value.length === 0) ? {} : undefined;
}

function parseRecipients(value: unknown): string[] | undefined {
	const isText = typeof value === 'string';
	const entries: unknown = isText ? value.split(/[,;\s]/).filter(Boolean) : value;
	if (!Array.isArray(entries)) return undefined;
	const addresses = entries.filter(isSet).map(toAddress);
	const isKnown = (address?: string) => address !== undefined && (!isText || address.includes('@'));
	return addresses.every(isKnown) ? (addresses as string[]) : undefined;
}

function toAddress(entry: unknown): string | undefined {
	if (isRecord(entry)) {
		const texts = pick(entry, 'email').filter((value) => typeof value === 'string');
		const addresses = texts.filter((text) => text.includes('@'));
		const isOne = new Set(addresses.map((text) => cleanAddress(text).toLowerCase())).size === 1;
		return isOne ? toAddress(addresses[0]) : undefined;
	}
	if (typeof entry !== 'string' || entry.length > MAX_LENGTHS.name) return undefined;
	const address = cleanAddress(entry);
	const others = entry.replaceAll(address, '').normalize('NFKC');
	// Of "anna@x.example, bob@y.example" and "anna@x.example <bob@y.example>", nobody knows who is meant.
	const isUnclear = /@.*@|[,;]/.test(address.normalize('NFKC')) || others.includes('@');
	return isUnclear ? undefined : address || undefined;
}
