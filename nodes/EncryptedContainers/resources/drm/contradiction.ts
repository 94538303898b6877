import type { IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { isSameRule, isSet, parseRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import { isDayAnywhere, isNoDate, parseServiceDate } from '../../../shared/parameters/dates';
import { isObject, isRecord } from '../../../shared/responses/shapes';
import { toIpRange } from '../../parameters/ipRules';

/** Codes of countries that stand for others. */
const SAME_COUNTRIES: Record<string, string> = { UK: 'GB', EL: 'GR' };

/** A rule that the service reports otherwise than it was sent. */
export interface Contradiction {
	expected: string;
	received: string;
}

/**
 * Compares what was sent with what the service reports. A rule that is not reported proves nothing, and neither does one
 * in a form that can't be compared for certain.
 */
export function findContradiction(sent: DrmRules, reported: DrmRules): Contradiction | undefined {
	for (const key of RULE_KEYS.filter((name) => name in sent && name in reported)) {
		const [wanted, found] = [sent[key], reported[key]].map((value) =>
			isSet(value) ? parseRule(key, value) : null,
		);
		if (wanted === undefined || found === undefined) continue;
		if (!isRecord(wanted) || !isRecord(found) || Object.keys(wanted).length === 0) {
			if (isSameRule(wanted, found)) continue;
			return describe(key, sent[key], reported[key]);
		}
		const isSame = key === 'time' ? isSameDay : isSameList;
		const part = Object.keys(wanted).find((name) => !isSame(wanted[name], found[name]));
		if (part !== undefined) return describe(`${key}.${part}`, wanted[part], found[part]);
	}
	return undefined;
}

/**
 * Finds a field that must show and doesn't, at any depth, such as the misspelled `geo.alow`, or another one than a
 * documented rule that shows with another value.
 */
export function findUnshownField(sent: IDataObject, shown: IDataObject): string | undefined {
	const isOther = (key: string) => !RULE_KEYS.includes(key) && !isSameRule(sent[key], shown[key]);
	return findMissingField(sent, shown) ?? Object.keys(sent).find(isOther);
}

function findMissingField(sent: unknown, reported: unknown): string | undefined {
	if (Array.isArray(sent)) {
		const shown = Array.isArray(reported) ? reported.filter(isRecord) : [];
		if (shown.length === 0) return undefined;
		const fields: IDataObject = Object.assign({}, ...shown);
		return sent.map((entry) => findMissingField(entry, fields)).find(Boolean);
	}
	if (!isRecord(sent) || !isRecord(reported)) return undefined;
	for (const [key, value] of Object.entries(sent).filter(([, held]) => isFilled(held))) {
		if (!isFilled(reported[key])) return key;
		const below = findMissingField(value, reported[key]);
		if (below !== undefined) return `${key}.${below}`;
	}
	return undefined;
}

function describe(key: string, ...values: unknown[]): Contradiction {
	const [expected, received] = values.map((value) => `${key} ${JSON.stringify(value) ?? 'null'}`);
	return { expected, received };
}

/** A service may show a day as a moment in another time zone. What is no day can't be compared. */
function isSameDay(wanted: unknown, found: unknown): boolean {
	if (isNoDate(wanted)) return parseServiceDate(found) === undefined;
	const day = parseServiceDate(wanted);
	if (day === undefined || isDayAnywhere(found, day)) return true;
	return parseServiceDate(found) === undefined && !isNoDate(found);
}

/** Countries and IP rules are the same in many forms. Others can't be compared, but a list is not an empty one. */
function isSameList(wanted: unknown, found: unknown): boolean {
	if (isSameRule(wanted, found)) return true;
	if (!isFilled(wanted) || !isFilled(found)) return false;
	if (!Array.isArray(wanted) || !Array.isArray(found)) return true;
	const lists = [wanted, found].map((entries) => entries.map(toComparable));
	return lists.flat().includes(undefined) || isSameRule(lists[0], lists[1]);
}

/** The code of a country or the addresses of an IP rule; undefined for a name and a rule about more than a country. */
function toComparable(entry: unknown): string | undefined {
	const { country, ...others } = isRecord(entry) ? entry : { country: entry };
	const text = String(country).trim();
	if (Object.values(others).some(isSet)) return undefined;
	if (/^[a-z]{2}$/i.test(text)) return SAME_COUNTRIES[text.toUpperCase()] ?? text;
	return isRecord(entry) ? undefined : toIpRange(text);
}

function isFilled(value: unknown): boolean {
	return isObject(value) ? Object.values(value).some(isFilled) : isSet(value);
}
