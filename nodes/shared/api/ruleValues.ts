import type { IDataObject } from 'n8n-workflow';

import { toAddressKey } from '../parameters/addresses';
import { cleanAddress } from '../parameters/lists';
import { parseServiceDate } from '../parameters/dates';
import { toCanonicalText } from '../responses/canonicalJson';
import { isFilled, isRecord } from '../responses/shapes';

/** The access rules of a container (docs/openapi.yaml, DrmRules): one that is not set is missing. */
export type DrmRules = {
	dynamic?: boolean;
	recipients?: string[];
	downloadable?: boolean;
	geo?: { allow?: IDataObject[]; block?: IDataObject[] };
	ip?: { allow?: string[]; block?: string[] };
	opens?: number;
	/** Days. */
	time?: { start?: string; end?: string };
};

export type RuleKey = keyof DrmRules;

/** One address or wildcard. */
const ADDRESS = /^[^\s@,;|]+@[^\s@,;|]+$/;

export const RULE_KEYS: RuleKey[] = [
	...(['dynamic', 'geo', 'ip', 'opens', 'time', 'downloadable', 'recipients'] as const),
];

/**
 * The value of a rule in the documented form; undefined for one that can't be understood. A moment becomes its day in the
 * time zone, or the day that is written.
 */
export function parseRule(key: RuleKey, value: unknown, timeZone?: string): unknown {
	if (key === 'recipients') return parseRecipients(value);
	if (key === 'time') return parseWindow(value, timeZone);
	if (key === 'geo' || key === 'ip') return isRecord(value) ? omitEmpty(value) : undefined;
	const type = key === 'opens' ? 'number' : 'boolean';
	return typeof value === type ? value : undefined;
}

/** Order, doubles, forms of an address, null and empty lists make no difference. */
export function isSameRule(a: unknown, b: unknown): boolean {
	return toCanonicalRule(a) === toCanonicalRule(b);
}

/** Values that mean the same are equal texts; empty for one that says nothing. */
export function toCanonicalRule(value: unknown): string {
	return toCanonicalText(value, (text) =>
		text.includes('@') ? toAddressKey(text) : text.trim().toLowerCase(),
	);
}

export function isSet(value: unknown): boolean {
	return value !== null && value !== undefined && value !== '';
}

function omitEmpty(value: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(value).filter(([, list]) => isFilled(list)));
}

/** The day of a date in the rules: a moment at the edge of a day in UTC is that day, any other is one in the time zone. */
export function parseDay(value: unknown, timeZone?: string): string | undefined {
	const isEdge = /T(00:00:00|23:59:59)(\.\d+)?(Z|\+00:00)$/.test(String(value));
	return parseServiceDate(value, isEdge ? 'UTC' : timeZone);
}

function parseWindow(value: unknown, timeZone?: string): DrmRules['time'] {
	if (!isRecord(value)) return undefined;
	const parts = (['start', 'end'] as const).filter((part) => isSet(value[part]));
	const days = parts.map((part) => [part, parseDay(value[part], timeZone)] as const);
	return days.some(([, day]) => day === undefined) ? undefined : Object.fromEntries(days);
}

function parseRecipients(value: unknown): string[] | undefined {
	if (!Array.isArray(value)) return undefined;
	const addresses = value.filter(isSet).map((entry: unknown) => {
		const address = isRecord(entry) ? entry.email : entry;
		return typeof address === 'string' ? cleanAddress(address) : '';
	});
	return addresses.every((address) => ADDRESS.test(address)) ? addresses : undefined;
}
