import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules, RuleKey } from '../../shared/api/shownRules';
import { toAddressKey } from '../../shared/parameters/addresses';
import type { DayCounter } from '../../shared/parameters/calendar';
import { parseDate } from '../../shared/parameters/dates';
import { parseField } from '../../shared/parameters/fields';
import { assertNotEmpty, parseList } from '../../shared/parameters/values';
import { REMOVABLE_RULES, RULE_LABELS, toRuleField } from '../descriptions/ruleFields';
import type { RuleField } from '../descriptions/ruleFields';
import { parseCountries } from './countries';
import { parseRecipients } from './recipients';

const WITH_WILDCARDS = /^(\*|\d+)(\.(\*|\d+)){3}$/;

type Parser<T> = (value: unknown, label: string) => T;

/**
 * Converts the rule fields that the user added to DRM rules (docs/openapi.yaml, DrmRules); null for what is removed.
 * @throws UserError for a field that can't be used, or two that contradict each other
 */
export async function parseEnteredRules(
	fields: IDataObject,
	days: DayCounter,
): Promise<IDataObject> {
	const rules: IDataObject = {};
	const set = (name: RuleKey, value: unknown) => {
		if (value !== undefined) rules[name] = value as IDataObject;
	};
	set('dynamic', parseRuleField(fields, 'dynamic'));
	set('geo', parseCountryLists(fields));
	set('ip', parseIpLists(fields));
	set('opens', parseRuleField(fields, 'opens'));
	set('time', await parseEnteredWindow(fields, days));
	set('downloadable', parseRuleField(fields, 'downloadable'));
	set('recipients', parseRuleField(fields, 'recipients', parseRecipients));
	removeRules(rules, fields);
	return rules;
}

function parseCountryLists(fields: IDataObject) {
	const allow = parseRuleField(fields, 'geoAllow', parseCountries);
	const block = parseRuleField(fields, 'geoBlock', parseCountries);
	assertDisjoint([allow, RULE_LABELS.geoAllow], [block, RULE_LABELS.geoBlock]);
	return omitUndefined({ allow: allow?.map(toCountry), block: block?.map(toCountry) });
}

function toCountry(code: string) {
	return { country: code };
}

function parseIpLists(fields: IDataObject) {
	const allow = parseRuleField(fields, 'ipAllow', parseIpRules);
	const block = parseRuleField(fields, 'ipBlock', parseIpRules);
	assertDisjoint([allow, RULE_LABELS.ipAllow], [block, RULE_LABELS.ipBlock]);
	return omitUndefined({ allow, block });
}

/** A rule that the user added; undefined for any other. One whose expression returns nothing is not dropped silently. */
export function parseRuleField<T>(fields: IDataObject, name: RuleField, parser?: Parser<T>) {
	if (!Object.hasOwn(fields, name)) return undefined;
	const field = toRuleField<T>(name);
	const value = parser ? parser(fields[name], field.displayName) : parseField(field, fields[name]);
	if (Array.isArray(value)) assertNotEmpty(value, field.displayName);
	return value;
}

async function parseEnteredWindow(
	fields: IDataObject,
	days: DayCounter,
): Promise<DrmRules['time']> {
	const parseDay: Parser<string> = (value, label) => parseDate(value, label, days.timeZone);
	const field = findEndField(fields);
	const start = parseRuleField(fields, 'timeStart', parseDay);
	const picked = parseRuleField(fields, 'timeEnd', parseDay);
	const inDays = parseRuleField<number>(fields, 'accessDays');
	if (picked === undefined && inDays === undefined) return omitUndefined({ start });
	const calendar = await days.getCalendar();
	const end = picked ?? calendar.getDayIn(inDays ?? 0);
	const label = RULE_LABELS[field];
	const advice = 'To end access to a container, use Access Rules (DRM) > Revoke Access.';
	calendar.assertNotPast(end, label, advice);
	if (start !== undefined && end < start) {
		const message = `"${label}" (${end}) is before "${RULE_LABELS.timeStart}" (${start})`;
		throw new UserError(message, {
			description: `In "${label}", end access on ${start} or later.`,
		});
	}
	return omitUndefined({ start, end });
}

/** The field that sets the end. @throws UserError where there are two */
function findEndField(fields: IDataObject): RuleField {
	const [, ends] = REMOVABLE_RULES.timeEnd;
	const [field = 'timeEnd', other] = ends.filter((name) => Object.hasOwn(fields, name));
	if (other !== undefined) throw togetherError(field, other, 'Each sets when access ends.');
	return field;
}

/** Sets the rules to remove to null, also a part of `time`. @throws UserError for one that is set as well */
function removeRules(rules: IDataObject, fields: IDataObject): void {
	for (const rule of parseRuleField<string[]>(fields, 'removeRules') ?? []) {
		const [, setBy] = REMOVABLE_RULES[rule];
		const field = setBy.find((other) => Object.hasOwn(fields, other));
		if (field !== undefined) {
			throw togetherError('removeRules', field, 'One removes what the other sets.');
		}
		const part = { timeStart: 'start', timeEnd: 'end' }[rule];
		if (part === undefined) rules[rule] = null;
		else rules.time = { ...(rules.time as IDataObject), [part]: null };
	}
}

function togetherError(one: RuleField, other: RuleField, reason: string): UserError {
	const message = `"${RULE_LABELS[one]}" and "${RULE_LABELS[other]}" can't be used together`;
	return new UserError(message, { description: `${reason} Remove one of them.` });
}

type LabeledEntries = [entries: string[] | undefined, label: string];

/** @throws UserError for an entry that is in both */
export function assertDisjoint(
	[entries = [], label]: LabeledEntries,
	[otherEntries = [], otherLabel]: LabeledEntries,
): void {
	const others = new Set(otherEntries.map(toAddressKey));
	const both = entries.find((entry) => others.has(toAddressKey(entry)));
	if (both === undefined) return;
	throw new UserError(`"${both}" is in "${label}" and in "${otherLabel}"`, {
		description: 'One contradicts the other. Remove it from one of them.',
	});
}

function omitUndefined<T extends object>(values: T): Partial<T> | undefined {
	const entries = Object.entries(values).filter(([, value]) => value !== undefined);
	return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Partial<T>);
}

/** @throws UserError for an entry that is no address, network, address with wildcards or range */
function parseIpRules(value: unknown, label: string): string[] {
	const entries = parseList(value, label).map(dropSpaces);
	const wrong = entries.find((entry) => !isIpRule(entry));
	if (wrong === undefined) return entries;
	throw new UserError(`"${wrong.slice(0, 100)}" in "${label}" is not an IP address`, {
		description: `Enter an address (203.0.113.7), a network (192.168.1.0/24 or 192.168.1.0/255.255.255.0), an address with wildcards (192.*.1.*) or a range (10.0.0.1-10.0.0.9) in "${label}". IPv6 has the same forms but wildcards.`,
	});
}

/** Around the sign of a network or a range. */
function dropSpaces(entry: string): string {
	const parts = entry.split(/([/-])/);
	return parts.map((part) => part.trim()).join('');
}

function isIpRule(entry: string): boolean {
	if (WITH_WILDCARDS.test(entry)) return isAddress(entry.replaceAll('*', '0'));
	const [, first = '', sign, second = ''] = /^([^/-]*)(?:([/-])([^/-]*))?$/.exec(entry) ?? [];
	if (!isAddress(first) || sign === undefined) return isAddress(first);
	const isV6 = first.includes(':');
	if (isAddress(second)) return isV6 === second.includes(':');
	return sign === '/' && /^(0|[1-9]\d{0,2})$/.test(second) && Number(second) <= (isV6 ? 128 : 32);
}

/** Only a URL knows all forms of IPv6; it writes a number of IPv4 with a leading zero anew. */
function isAddress(text: string): boolean {
	if (text.includes(':')) return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
	const url = `http://${text}`;
	return /^[\d.]+$/.test(text) && URL.canParse(url) && new URL(url).hostname === text;
}
