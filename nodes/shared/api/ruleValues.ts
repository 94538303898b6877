import type { IDataObject } from 'n8n-workflow';

import { toAddressKey } from '../parameters/addresses';
import { cleanAddress } from '../parameters/lists';
import { isNoDate, parseServiceDate } from '../parameters/dates';
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

type Parser = (value: unknown, timeZone?: string) => unknown;

const PARSERS: Record<RuleKey, Parser> = {
	dynamic: parseSwitch,
	geo: parseLists,
	ip: parseLists,
	opens: (value) => (Number.isSafeInteger(value) ? value : undefined),
	time: parseWindow,
	downloadable: parseSwitch,
	recipients: parseRecipients,
};

export const RULE_KEYS = Object.keys(PARSERS) as RuleKey[];

/**
 * The value of a rule in the documented form; undefined for one that can't be understood. A moment becomes its day in the
 * time zone, or the day that is written.
 */
export function parseRule(key: RuleKey, value: unknown, timeZone?: string): unknown {
	return PARSERS[key](value, timeZone);
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

function parseSwitch(value: unknown): boolean | undefined {
	return typeof value === 'boolean' ? value : undefined;
}

/** An empty list of languages that have no other empty object; without the parts that are empty. */
function parseLists(value: unknown): object | undefined {
	if (Array.isArray(value) && value.length === 0) return {};
	if (!isRecord(value)) return undefined;
	return Object.fromEntries(Object.entries(value).filter(([, list]) => isFilled(list)));
}

function parseWindow(value: unknown, timeZone?: string): DrmRules['time'] {
	const window = parseLists(value) as Record<string, unknown> | undefined;
	if (window === undefined) return undefined;
	const parts = (['start', 'end'] as const).filter((part) => !isNoDate(window[part]));
	const days = parts.map((part) => [part, parseServiceDate(window[part], timeZone)] as const);
	return days.some(([, day]) => day === undefined) ? undefined : Object.fromEntries(days);
}

function parseRecipients(value: unknown): string[] | undefined {
	if (!Array.isArray(value)) return undefined;
	const addresses = value.filter(isSet).map((entry: unknown) => {
		const address = isRecord(entry) ? entry.email : entry;
		return typeof address === 'string' ? cleanAddress(address) || undefined : undefined;
	});
	return addresses.includes(undefined) ? undefined : (addresses as string[]);
}
