import type { IDataObject } from 'n8n-workflow';

import { parseServiceDate } from '../parameters/dates';
import { isRecord, pick } from '../responses/shapes';

const RULE_PARSERS: Record<string, (value: unknown) => unknown> = {
	dynamic: parseSwitch,
	geo: parseObject,
	ip: parseObject,
	opens: parseCount,
	time: parseTime,
	downloadable: parseSwitch,
	recipients: parseRecipients,
};

/** The documented keys of DRM rules (docs/openapi.yaml, DrmRules). */
export const RULE_KEYS = Object.keys(RULE_PARSERS);

/**
 * Converts the value of a rule to the documented type, from the forms in which PHP, Perl and others write it: `"3"`, `1`
 * for true, `[]` for an empty object, recipients as objects.
 *
 * @returns undefined when the value can't be understood
 */
export function parseRule(key: string, value: unknown): unknown {
	return RULE_PARSERS[key](value);
}

/** Whether two values of a rule mean the same: order, doubles, capitals, null and empty lists make no difference. */
export function isSameRule(a: unknown, b: unknown): boolean {
	return toCanonicalRule(a) === toCanonicalRule(b);
}

/**
 * The days of a window as they are sent: without those that are not set, and in text.
 *
 * ISO text stays unchanged, and so does what can't be read: it is the service's own.
 */
export function normalizeWindow(time: unknown): { start?: string; end?: string } {
	const days = Object.entries(isRecord(time) ? time : {}).filter(([, day]) => isSet(day));
	return Object.fromEntries(
		days.map(([key, day]) => {
			const isIsoText = /^\d{4}-/.test(String(day));
			return [key, isIsoText ? day : (parseServiceDate(day) ?? day)];
		}),
	);
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
	// .NET writes `$id` and `$values` where the service documents a rule and a list.
	if (isRecord(value)) return Object.hasOwn(value, '$id') ? undefined : value;
	return Array.isArray(value) && value.length === 0 ? {} : undefined;
}

/** A status message may have a `time` too, such as `{ "took": 3 }`. */
function parseTime(value: unknown): IDataObject | undefined {
	const time = parseObject(value);
	const keys = Object.keys(time ?? {});
	return keys.length === 0 || keys.includes('start') || keys.includes('end') ? time : undefined;
}

function parseRecipients(value: unknown): string[] | undefined {
	const recipients = toEntries(value)?.map(toAddress);
	return recipients?.every((address) => address !== undefined) ? recipients : undefined;
}

/** PHP writes a list from which it took an entry as an object: `{ "0": …, "2": … }`. */
function toEntries(value: unknown): unknown[] | undefined {
	if (Array.isArray(value)) return value as unknown[];
	if (typeof value === 'string') {
		const entries = value.split(/[,;\s]/).filter(Boolean);
		return entries.length > 0 && entries.every(isAddress) ? entries : undefined;
	}
	return isRecord(value) && Object.keys(value).every((key) => /^\d+$/.test(key))
		? Object.values(value)
		: undefined;
}

function toAddress(entry: unknown): string | undefined {
	if (typeof entry === 'string') return trimAddress(entry) || undefined;
	if (!isRecord(entry)) return undefined;
	const addresses = pick(entry, 'email').filter(isAddress).map(trimAddress);
	return addresses.every((address) => isSameRule(address, addresses[0])) ? addresses[0] : undefined;
}

/** The address alone, as in `Ada <ada@example.com>`. */
function trimAddress(text: string): string {
	const inBrackets = /<([^<>]*)>\s*$/.exec(text)?.[1];
	return (isAddress(inBrackets) ? inBrackets : text).replace(/^\s*mailto:/i, '').trim();
}

function isAddress(value: unknown): value is string {
	return typeof value === 'string' && value.includes('@');
}

function isSet(value: unknown): boolean {
	return value !== null && value !== undefined && value !== '';
}

/** Writes the value of a rule so that values that mean the same are equal texts; empty for one that says nothing. */
export function toCanonicalRule(value: unknown): string {
	if (!isSet(value)) return '';
	if (typeof value === 'string') return JSON.stringify(value.trim().toLowerCase());
	if (typeof value !== 'object') return JSON.stringify(value);
	const texts = Array.isArray(value)
		? value.map(toCanonicalRule)
		: Object.entries(value as object).map(([key, held]) => {
				const text = toCanonicalRule(held);
				return text === '' ? '' : `${JSON.stringify(key)}:${text}`;
			});
	const text = [...new Set(texts.filter(Boolean))].sort().join();
	if (text === '') return '';
	return Array.isArray(value) ? `[${text}]` : `{${text}}`;
}
