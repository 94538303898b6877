import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/shownRules';
import { toAddressKey } from '../../shared/parameters/addresses';
import { getDateInDays, parseDate } from '../../shared/parameters/dates';
import { parseField } from '../../shared/parameters/fields';
import { assertNotEmpty, parseList } from '../../shared/parameters/values';
import { REMOVABLE_RULES, RULE_LABELS, toRuleField } from '../descriptions/ruleFields';
import type { RuleField } from '../descriptions/ruleFields';
import { parseRecipients } from './recipients';

const WITH_WILDCARDS = /^(\*|\d+)(\.(\*|\d+)){3}$/;

type Parser<T> = (value: unknown, label: string) => T;

/** Converts the rule fields that the user added to DRM rules (docs/openapi.yaml, DrmRules); null for what is removed. */
export function parseEnteredRules(fields: IDataObject, timeZone: string): IDataObject {
	const parse = <T>(field: RuleField, parser?: Parser<T>) => parseRuleField(fields, field, parser);
	const parseBoth = <T>(rule: 'geo' | 'ip', parser: Parser<string[]>, to: (entry: string) => T) => {
		const [allowField, blockField] = [`${rule}Allow`, `${rule}Block`] as const;
		const [allow, block] = [parse(allowField, parser), parse(blockField, parser)];
		assertDisjoint(allow, block, RULE_LABELS[allowField], RULE_LABELS[blockField]);
		return omitUndefined({ allow: allow?.map(to), block: block?.map(to) });
	};
	const rules = {
		dynamic: parse<boolean>('dynamic'),
		geo: parseBoth('geo', parseList, (code) => ({ country: code.toUpperCase() })),
		ip: parseBoth('ip', parseIpRules, (entry) => entry),
		opens: parse<number>('opens'),
		time: parseEnteredWindow(fields, timeZone),
		downloadable: parse<boolean>('downloadable'),
		recipients: parse('recipients', parseRecipients),
	};
	const sent = { ...omitUndefined(rules) } as IDataObject;
	removeRules(sent, fields);
	return sent;
}

/** A rule that the user added; undefined for any other. One whose expression returns nothing is not dropped silently. */
export function parseRuleField<T>(fields: IDataObject, name: RuleField, parser?: Parser<T>) {
	if (!Object.hasOwn(fields, name)) return undefined;
	const field = toRuleField<T>(name);
	const value = parser ? parser(fields[name], field.displayName) : parseField(field, fields[name]);
	if (Array.isArray(value)) assertNotEmpty(value, field.displayName);
	return value;
}

function parseEnteredWindow(fields: IDataObject, timeZone: string): DrmRules['time'] {
	const [, ends] = REMOVABLE_RULES.timeEnd;
	const [field = 'timeEnd', other] = ends.filter((name) => Object.hasOwn(fields, name));
	if (other !== undefined) throw togetherError(field, other, 'Each sets when access ends.');
	const parseDay: Parser<string> = (value, label) => parseDate(value, label, timeZone);
	const start = parseRuleField(fields, 'timeStart', parseDay);
	const days = parseRuleField<number>(fields, 'accessDays');
	const inDays = days === undefined ? undefined : getDateInDays(days, timeZone);
	const end = parseRuleField(fields, 'timeEnd', parseDay) ?? inDays;
	const today = getDateInDays(0, timeZone);
	if (end !== undefined && end < today) {
		throw new UserError(`"${RULE_LABELS[field]}" (${end}) is in the past`, {
			description: `Today is ${today} in the time zone of the workflow (${timeZone}). Pick today or a later day. To end access to a container, use Access Rules (DRM) > Revoke Access.`,
		});
	}
	if (end !== undefined && start !== undefined && end < start) {
		const message = `"${RULE_LABELS[field]}" (${end}) is before "${RULE_LABELS.timeStart}" (${start})`;
		throw new UserError(message, {
			description: `In "${RULE_LABELS[field]}", end access on ${start} or later.`,
		});
	}
	return omitUndefined({ start, end });
}

/** Sets the rules to remove to null, also a part of `time`. @throws UserError for one that is set as well */
function removeRules(rules: IDataObject, fields: IDataObject): void {
	for (const rule of parseRuleField<string[]>(fields, 'removeRules') ?? []) {
		const [, setBy] = REMOVABLE_RULES[rule];
		const field = setBy.find((other) => Object.hasOwn(fields, other));
		if (field !== undefined)
			throw togetherError('removeRules', field, 'One removes what one sets.');
		const part = { timeStart: 'start', timeEnd: 'end' }[rule];
		if (part === undefined) rules[rule] = null;
		else rules.time = { ...(rules.time as IDataObject), [part]: null };
	}
}

function togetherError(one: RuleField, other: RuleField, reason: string): UserError {
	const message = `"${RULE_LABELS[one]}" and "${RULE_LABELS[other]}" can't be used together`;
	return new UserError(message, { description: `${reason} Remove one of them.` });
}

export function assertDisjoint(
	one: string[] = [],
	other: string[] = [],
	...labels: [string, string]
): void {
	const others = new Set(other.map(toAddressKey));
	const both = one.find((entry) => others.has(toAddressKey(entry)));
	if (both === undefined) return;
	throw new UserError(`"${both}" is in "${labels[0]}" and in "${labels[1]}"`, {
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
