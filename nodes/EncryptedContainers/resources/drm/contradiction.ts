import type { IDataObject } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { isSameRule, isSet, parseRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import { isDayAnywhere, isNoDate, parseServiceDate } from '../../../shared/parameters/dates';
import { isFilled, isRecord } from '../../../shared/responses/shapes';
import { toIpRange } from '../../parameters/ipRules';
import { hasEnded, type RulesChange } from './ruleChanges';

const SWITCHES = ['dynamic', 'downloadable'];
/** Codes of countries that stand for others. */
const SAME_COUNTRIES: Record<string, string> = { UK: 'GB', EL: 'GR' };

/** What contradicts a change in what the service shows. A response to it (`isResponse`) can show less than a read does. */
export function findProblem(
	{ toSend = {}, entered, lastDay, extendedEnd }: RulesChange,
	{ rules, record }: Partial<ShownRules>,
	before: DrmRules = {},
	isResponse = false,
) {
	const shown = rules ?? {};
	if (lastDay === undefined) {
		const isUnknown = rules === undefined && entered !== undefined;
		if (isUnknown) return { expected: 'rules', received: 'a response without rules' };
		// A moment can fall on the day before and on the day after.
		const isStill = (wanted: unknown) =>
			isSameRule(shown.time?.end, before.time?.end) && !isSameRule(wanted, before.time?.end);
		if (extendedEnd !== undefined && isStill(toSend.time?.end)) {
			return describe('time.end', extendedEnd, shown.time?.end);
		}
		const wasOn = (key: string) => SWITCHES.includes(key) && parseRule(key, before[key]) === true;
		// Some languages leave out a switch that is off.
		const isOff = (key: string) =>
			!isResponse && toSend[key] === false && wasOn(key) && !(key in shown);
		const mustShow = Object.entries(entered ?? {}).filter(([key]) => !isOff(key));
		return findContradiction(toSend, shown, record, Object.fromEntries(mustShow));
	}
	const end = shown.time?.end;
	const isWhole = !isResponse || Object.keys(toSend).every((key) => key in shown);
	// A moment that was stored for the last day may show as the next one, in UTC. One that did not move proves nothing.
	const isMoved = isDayAnywhere(end, lastDay) && !isSameRule(end, before.time?.end);
	if (isWhole && (isMoved || hasEnded(shown, lastDay))) return undefined;
	const received = `rules with the end ${JSON.stringify(end ?? null)}`;
	return { expected: `rules that end access on ${lastDay}`, received };
}

/**
 * Compares what was sent with the rules that the service reports, and with the fields beside them (`record`). What is not
 * reported or can't be compared proves nothing, but `entered` must show, down to the names of fields.
 */
export function findContradiction(
	sent: DrmRules,
	rules: DrmRules,
	record: IDataObject = {},
	entered: DrmRules = {},
) {
	for (const [key, value] of Object.entries(sent)) {
		const isRule = RULE_KEYS.includes(key);
		const isEntered = key in entered;
		const shown = (isRule ? rules : record)[key];
		if (shown === undefined && !isEntered) continue;
		const [wanted, found] = [value, shown].map((one) =>
			isRule && isSet(one) ? parseRule(key, one) : (one ?? null),
		);
		if (isRule && isRecord(wanted) && isRecord(found) && isFilled(wanted)) {
			const isSame = key === 'time' ? isSameDay : isSameList;
			const names = Object.keys(wanted);
			const part = names.find((name) => !isSame(wanted[name], found[name], isEntered));
			if (part !== undefined) return describe(`${key}.${part}`, wanted[part], found[part]);
		} else if (wanted === undefined || found === undefined) {
			if (!isSet(found) && found !== undefined) return describe(key, value, shown);
		} else if (!isSameRule(wanted, found)) {
			return describe(key, value, shown);
		}
	}
	return undefined;
}

function describe(path: string, ...values: unknown[]) {
	const [expected, received] = values.map((value) => `${path} ${JSON.stringify(value ?? null)}`);
	return { expected, received };
}

/** A service may show a day as a moment in another time zone. What is no day can't be compared. */
export function isSameDay(wanted: unknown, found: unknown): boolean {
	if (isNoDate(wanted)) return parseServiceDate(found) === undefined;
	const day = parseServiceDate(wanted);
	if (day === undefined || isDayAnywhere(found, day)) return true;
	return parseServiceDate(found) === undefined && !isNoDate(found);
}

/** Countries and IP rules are the same in many forms. Others can't be compared, but a list is not an empty one. */
function isSameList(wanted: unknown, found: unknown, isEntered: boolean): boolean {
	if (isSameRule(wanted, found)) return true;
	if (isSameRule(wanted, null) || isSameRule(found, null)) return false;
	if (!Array.isArray(wanted) || !Array.isArray(found)) return true;
	const lists = [wanted, found].map((entries) => entries.map(toComparable));
	if (!lists.flat().includes(undefined)) return isSameRule(lists[0], lists[1]);
	const [names, shown] = [wanted, found].map((entries) =>
		entries.filter(isRecord).flatMap((entry) => Object.keys(entry)),
	);
	return !isEntered || shown.length === 0 || names.every((name) => shown.includes(name));
}

/** The code of a country or the addresses of an IP rule; undefined for a name and a rule about more than a country. */
export function toComparable(entry: unknown): string | undefined {
	const { country, ...others } = isRecord(entry) ? entry : { country: entry };
	const text = String(country).trim();
	if (Object.values(others).some(isSet)) return undefined;
	if (/^[a-z]{2}$/i.test(text)) return SAME_COUNTRIES[text.toUpperCase()] ?? text;
	return isRecord(entry) ? undefined : toIpRange(text);
}
