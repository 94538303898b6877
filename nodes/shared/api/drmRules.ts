import type { IDataObject } from 'n8n-workflow';

import type { Expectation } from '../client/accept';
import type { Client } from '../client/client';
import { cleanAddress, toAddressKey } from '../parameters/addresses';
import { parseServiceDate } from '../parameters/dates';
import { buildPath } from '../parameters/requests';
import { isFilled, isObject, isRecord, toCanonicalText } from '../responses/shapes';

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

export const RULE_KEYS: RuleKey[] = [
	...(['dynamic', 'geo', 'ip', 'opens', 'time', 'downloadable', 'recipients'] as const),
];

export interface ShownRules {
	rules: DrmRules;
	/** Rules in a form that can't be understood, as they came. */
	unclear: Partial<Record<RuleKey, unknown>>;
	/** By how many days a day can be off: a service can show days as moments in another time zone. */
	tolerance: 0 | 1;
	/** The rules as they came. */
	record: IDataObject;
	etag?: string;
}

export const RULES: Expectation = {
	what: 'access rules',
	isIn: (response) => findRules(response) !== undefined,
};

/** One address or wildcard. */
const ADDRESS = /^[^\s@,;|]+@[^\s@,;|]+$/;

/** The response with the rules of a container. @throws ServiceError also where it has none */
export async function requestRules(client: Client, containerId: string) {
	const path = buildPath(['containers', containerId, 'drm']);
	const action = 'get the rules of the container';
	const subject = { containerId };
	return await client.requestObject({ method: 'GET', path, action, subject, expected: RULES });
}

/** The rules of a container as they came. @throws ServiceError */
export async function fetchRules(client: Client, containerId: string): Promise<DrmRules> {
	const { object } = await requestRules(client, containerId);
	const known = Object.entries(findRules(object) ?? {}).filter(([key]) => isRuleKey(key));
	return Object.fromEntries(known) as DrmRules;
}

/** Reads rules, to change them. `needsRecipients`: those of the container itself count where its rules have none. */
export async function readRules(
	client: Client,
	containerId: string,
	{ timeZone, needsRecipients }: { timeZone: string; needsRecipients: boolean },
): Promise<ShownRules> {
	const { object, etag } = await requestRules(client, containerId);
	const found = { ...findRules(object) };
	if (needsRecipients && !isSet(found.recipients)) {
		const path = buildPath(['containers', containerId]);
		const action = 'get the recipients of the container';
		const request = { method: 'GET', path, action, subject: { containerId } } as const;
		const container = await client.requestObject(request);
		found.recipients = findRules(container.object)?.recipients;
	}
	return { ...parseRules(found, timeZone), etag };
}

/** @param timeZone of the days in which moments fall */
export function parseRules(record: IDataObject, timeZone?: string): ShownRules {
	const shown: ShownRules = { rules: {}, unclear: {}, tolerance: 0, record };
	for (const key of RULE_KEYS) {
		const { [key]: value } = record;
		if (limitsNothing(value)) continue;
		const rule = parseRule(key, value, timeZone);
		if (rule === undefined) shown.unclear[key] = value;
		else if (!limitsNothing(rule)) Object.assign(shown.rules, { [key]: rule });
	}
	const dates = isRecord(record.time) ? Object.values(record.time).filter(isSet) : [];
	if (!dates.every((date) => /^\d{4}-\d\d-\d\d$/.test(String(date)))) shown.tolerance = 1;
	return shown;
}

/**
 * The rules in a response: at its top, or inside `drm`, `rules` or `data`, alone or in the container (docs/openapi.yaml,
 * DrmRules). The container has some of them beside the others, as the manifest does. Undefined where there are none.
 */
export function findRules(response: unknown): IDataObject | undefined {
	if (!isRecord(response)) return undefined;
	const places = [response, response.container, response.data]
		.flatMap((place) => (isRecord(place) ? [place, place.container] : []))
		.filter(isRecord);
	const named = places.flatMap(({ drm, rules }) => [drm, rules]).find(isRecord);
	const bare = places.filter((place) => Object.keys(place).some(isRuleKey));
	if (named === undefined) return bare.at(-1) ?? (isFilled(response) ? undefined : {});
	const beside = bare.map(({ recipients, downloadable }) => ({ recipients, downloadable }));
	return Object.assign({}, ...beside, named) as IDataObject;
}

/**
 * The value of a rule in the documented form; undefined for one that can't be understood. A moment becomes its day in the
 * time zone, or the day that is written.
 */
export function parseRule(key: RuleKey, value: unknown, timeZone?: string): unknown {
	if (key === 'recipients') return parseRecipients(value);
	if (key === 'opens') return typeof value === 'number' ? value : undefined;
	if (key !== 'time' && key !== 'geo' && key !== 'ip') {
		return typeof value === 'boolean' ? value : undefined;
	}
	if (!isRecord(value)) return undefined;
	const parts = Object.entries(value);
	if (key !== 'time') return Object.fromEntries(parts.filter(([, list]) => isFilled(list)));
	const days = parts
		.filter(([part, date]) => /^(start|end)$/.test(part) && isSet(date))
		.map(([part, date]) => [part, parseDay(date, timeZone)]);
	return days.every(([, day]) => day !== undefined) ? Object.fromEntries(days) : undefined;
}

/** The day of a date in the rules: a moment at the edge of a day in UTC is that day, any other is one in the time zone. */
export function parseDay(value: unknown, timeZone?: string): string | undefined {
	const isEdge = /T(00:00:00|23:59:59)(\.\d+)?(Z|\+00:00)$/.test(String(value));
	return parseServiceDate(value, isEdge ? 'UTC' : timeZone);
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

/** Neither set nor filled. */
export function limitsNothing(value: unknown): boolean {
	return isObject(value) ? !isFilled(value) : !isSet(value);
}

function isRuleKey(key: string): boolean {
	return RULE_KEYS.some((known) => known === key);
}

function parseRecipients(value: unknown): string[] | undefined {
	if (!Array.isArray(value)) return undefined;
	const addresses = value.filter(isSet).map((entry: unknown) => {
		const address = isRecord(entry) ? entry.email : entry;
		return typeof address === 'string' ? cleanAddress(address) : '';
	});
	return addresses.every((address) => ADDRESS.test(address)) ? addresses : undefined;
}
