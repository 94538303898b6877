import type { IDataObject } from 'n8n-workflow';

import { acceptObject, type Expectation } from '../client/accept';
import type { Client, ServiceRequest } from '../client/client';
import { endpoints, toRequest } from '../client/endpoints';
import type { Doubt } from '../errors/failure';
import { cleanAddress, getEmail, toAddressKey } from '../parameters/addresses';
import { parseServiceDate } from '../parameters/dates';
import { isFilled, isObject, isRecord, toCanonicalText } from '../responses/shapes';
import { takeBreak } from '../responses/takeBreak';
import { listPlaces } from './records';

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

/** Each returns a rule in the documented form; undefined for one that can't be understood. */
const PARSERS: Record<RuleKey, (value: unknown, timeZone?: string) => unknown> = {
	dynamic: parseFlag,
	geo: parseLists,
	ip: parseLists,
	opens: (value) => (typeof value === 'number' ? value : undefined),
	time: parseShownWindow,
	downloadable: parseFlag,
	recipients: parseShownRecipients,
};

export const RULE_KEYS = Object.keys(PARSERS) as RuleKey[];

export interface ShownRules {
	rules: DrmRules;
	/** Rules in a form that can't be understood, as they came. */
	unclear: Partial<Record<RuleKey, unknown>>;
	/** By how many days a day can be off: a service can show days as moments in another time zone. */
	tolerance: 0 | 1;
	/** As they came. */
	record: IDataObject;
	etag?: string;
}

export const RULES: Expectation = {
	what: 'access rules',
	isIn: (response) => findRules(response) !== undefined,
};

const ADDRESS_OR_WILDCARD = /^[^\s@,;|]+@[^\s@,;|]+$/;

/** The rules of a container as they came. @throws ServiceError */
export async function fetchRules(client: Client, containerId: string): Promise<DrmRules> {
	const { record } = await readRules(client, containerId);
	const known = Object.entries(record).filter(([key]) => isRuleKey(key));
	return Object.fromEntries(known) as DrmRules;
}

interface ReadOptions {
	timeZone?: string;
	/** Then those of the container itself count where its rules have none. */
	needsRecipients?: boolean;
	/** Of a change that this is to show. */
	doubt?: Doubt;
}

/** @throws ServiceError */
export async function readRules(
	client: Client,
	containerId: string,
	{ timeZone, needsRecipients, doubt }: ReadOptions = {},
): Promise<ShownRules> {
	const { object, etag } = await requestRules(client, containerId, doubt);
	const found = { ...findRules(object) };
	if (needsRecipients && !isSet(found.recipients)) {
		const container = await requestContainer(client, containerId, doubt);
		found.recipients = findRules(container.object)?.recipients;
	}
	const shown = { ...parseRules(found, timeZone), etag };
	// There can be many recipients.
	await takeBreak();
	return shown;
}

async function requestRules(client: Client, containerId: string, doubt?: Doubt) {
	const request: ServiceRequest = {
		...toRequest(endpoints.getDrmRules, { containerId }),
		subject: { containerId },
		doubt,
		// A proxy that compresses a response changes its ETag, and the service doesn't know that one in a change.
		headers: { 'Accept-Encoding': 'identity' },
		action: 'get the rules of the container',
		expected: RULES,
	};
	return await client.request(request, acceptObject);
}

async function requestContainer(client: Client, containerId: string, doubt?: Doubt) {
	const request: ServiceRequest = {
		...toRequest(endpoints.getContainer, { containerId }),
		subject: { containerId },
		doubt,
		action: 'get the recipients of the container',
	};
	return await client.request(request, acceptObject);
}

/** Recipients that were entered as JSON, as bare addresses, without null. What can't be understood stays as it is. */
export function cleanRecipients(value: unknown): unknown {
	return parseRules({ recipients: value as IDataObject[] }).rules.recipients ?? value;
}

/** @param timeZone in which a moment has its day. Without one, it has the day that is written. */
export function parseRules(record: IDataObject, timeZone?: string): ShownRules {
	const shown: ShownRules = { rules: {}, unclear: {}, tolerance: 0, record };
	for (const key of RULE_KEYS) {
		const { [key]: value } = record;
		if (limitsNothing(value)) continue;
		const rule = PARSERS[key](value, timeZone);
		if (rule === undefined) shown.unclear[key] = value;
		else if (!limitsNothing(rule)) Object.assign(shown.rules, { [key]: rule });
	}
	const dates = isRecord(record.time) ? Object.values(record.time).filter(isSet) : [];
	if (!dates.every((date) => /^\d{4}-\d\d-\d\d$/.test(String(date)))) shown.tolerance = 1;
	return shown;
}

/**
 * The rules in a response: at its top, or inside `drm`, `rules` or `data`, alone or in the container (docs/openapi.yaml,
 * DrmRules). Undefined where there are none.
 */
export function findRules(response: unknown): IDataObject | undefined {
	if (!isRecord(response)) return undefined;
	const places = listPlaces('container', response);
	const bare = places.find((place) => Object.keys(place).some(isRuleKey));
	const named = places.flatMap(({ drm, rules }) => [drm, rules]).find(isRecord);
	if (named === undefined) return bare ?? (isFilled(response) ? undefined : {});
	// The container has some of them beside the others, as the manifest does.
	const { recipients, downloadable } = bare ?? {};
	return { recipients, downloadable, ...named };
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

export function limitsNothing(value: unknown): boolean {
	return isObject(value) ? !isFilled(value) : !isSet(value);
}

function isRuleKey(key: string): boolean {
	return RULE_KEYS.some((known) => known === key);
}

function parseFlag(value: unknown): boolean | undefined {
	return typeof value === 'boolean' ? value : undefined;
}

function parseLists(value: unknown): IDataObject | undefined {
	if (!isRecord(value)) return undefined;
	return Object.fromEntries(Object.entries(value).filter(([, list]) => isFilled(list)));
}

function parseShownWindow(value: unknown, timeZone?: string): DrmRules['time'] {
	if (!isRecord(value)) return undefined;
	const { start, end } = value;
	const days = Object.entries({ start, end })
		.filter(([, date]) => isSet(date))
		.map(([part, date]) => [part, parseServiceDate(date, timeZone)]);
	return days.every(([, day]) => day !== undefined) ? Object.fromEntries(days) : undefined;
}

function parseShownRecipients(value: unknown): string[] | undefined {
	if (!Array.isArray(value)) return undefined;
	const addresses = value.filter(isSet).map((entry: unknown) => {
		const address = getEmail(entry);
		return typeof address === 'string' ? cleanAddress(address) : '';
	});
	return addresses.every((address) => ADDRESS_OR_WILDCARD.test(address)) ? addresses : undefined;
}
