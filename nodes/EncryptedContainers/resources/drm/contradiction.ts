import type { DrmRules } from '../../../shared/api/drmRules';
import { isSameRule, parseRule } from '../../../shared/api/ruleValues';
import { isDayAnywhere, parseServiceDate } from '../../../shared/parameters/dates';
import { isRecord } from '../../../shared/responses/shapes';

/** A rule that the service reports otherwise than it was sent. */
export interface Contradiction {
	/** Such as `opens` or `time.end`. */
	key: string;
	sent: unknown;
	reported: unknown;
}

/**
 * Compares what was sent with what the service reports. A rule that is not reported proves nothing.
 *
 * @returns the first rule that differs, if any
 */
export function findContradiction(sent: DrmRules, reported: DrmRules): Contradiction | undefined {
	return Object.keys(sent)
		.filter((key) => key in reported)
		.flatMap((key) => findDifferences(key, sent[key], reported[key]))
		.at(0);
}

function findDifferences(key: string, sent: unknown, reported: unknown): Contradiction[] {
	// What the user wrote in a form of the service's own can't be compared.
	if (sent !== null && parseRule(key, sent) === undefined) return [];
	if (!isRecord(sent) || !isRecord(reported) || Object.keys(sent).length === 0) {
		return isSameRule(sent, reported) ? [] : [{ key, sent, reported }];
	}
	const isSame = key === 'time' ? isSameDay : isSameList;
	return Object.entries(sent)
		.filter(([part, value]) => !isSame(value, reported[part]))
		.map(([part, value]) => ({ key: `${key}.${part}`, sent: value, reported: reported[part] }));
}

/** A value for a message. */
export function quoteJson(value: unknown): string {
	return JSON.stringify(value) ?? 'null';
}

/** A service may show a day as a moment in another time zone. What is no day can't be compared. */
function isSameDay(wanted: unknown, found: unknown): boolean {
	if (isSameRule(wanted, found)) return true;
	const day = parseServiceDate(wanted);
	return day === undefined ? Boolean(wanted) : isDayAnywhere(found, day);
}

/** A service may name a country in another way: that can't be compared, other than the number of countries. */
function isSameList(wanted: unknown, found: unknown): boolean {
	if (isSameRule(wanted, found)) return true;
	if (!Array.isArray(wanted) || !Array.isArray(found)) return false;
	const [wantedEntries, foundEntries] = [wanted.map(toEntry), found.map(toEntry)];
	const isComparable = [...wantedEntries, ...foundEntries].every(isCode);
	return isComparable || !wanted.every(isRecord)
		? isSameRule(wantedEntries, foundEntries)
		: new Set(wantedEntries).size === new Set(foundEntries).size;
}

/** The country of a rule, or a network in its shortest form. */
function toEntry(entry: unknown): unknown {
	if (isRecord(entry) && 'country' in entry) return entry.country;
	if (typeof entry !== 'string') return entry;
	return entry.replace(entry.includes(':') ? /\/128$/ : /\/32$/, '');
}

function isCode(value: unknown): boolean {
	return /^[a-z]{2}$/i.test(String(value));
}
