import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../shared/api/ruleValues';
import { omitRepeated, toAddressKey } from '../../shared/parameters/addresses';
import { getDateInDays, MAX_DAYS, parseDate } from '../../shared/parameters/dates';
import { parseAddresses, parseList } from '../../shared/parameters/lists';
import { parseBoolean, parseChoice, parseInteger } from '../../shared/parameters/scalars';
import { removeRulesField, RULE_LABELS } from '../descriptions/drmRules';
import { assertPlain, isPlain } from './allowedRecipients';
import { emptyError } from './emptyError';
import { parseIpRules } from './ipRules';

/** Nobody gets email at `anna@example`. */
const WHOLE_DOMAIN = /@([^.@]+(\.[^.@]+)+|[^@*]*\*[^@]*)$/;

type Parser<T> = (value: unknown, label: string) => T;

/** The fields that set the end of access: a container has one end. */
const END_FIELDS = ['timeEnd', 'accessDays', 'extendByDays'] as const;

/** Converts the rule fields that the user added to DRM rules (docs/openapi.yaml, DrmRules). */
export function parseDrmRules(fields: IDataObject, timeZone: string): DrmRules {
	type Field = keyof typeof RULE_LABELS;
	// A rule whose expression returns nothing was added too: it must not be dropped silently.
	const parse = <T>(field: Field, parser: Parser<T>) => {
		if (!Object.hasOwn(fields, field)) return undefined;
		const value = parser(fields[field], RULE_LABELS[field]);
		if (Array.isArray(value)) assertNotEmpty(value, RULE_LABELS[field]);
		return value;
	};
	const parseBoth = <T>(rule: 'geo' | 'ip', parser: Parser<string[]>, to: (entry: string) => T) => {
		const [allowField, blockField] = [`${rule}Allow`, `${rule}Block`] as const;
		const [allow, block] = [parse(allowField, parser), parse(blockField, parser)];
		assertDisjoint(allow, block, RULE_LABELS[allowField], RULE_LABELS[blockField]);
		return omitUndefined({ allow: allow?.map(to), block: block?.map(to) });
	};
	const parseDay = (value: unknown, label: string) => parseDate(value, label, timeZone);
	const parseLastDay = (value: unknown, label: string) => {
		const [day, today] = [parseDay(value, label), getDateInDays(0, timeZone)];
		if (day >= today) return day;
		throw new UserError(`"${label}" (${day}) is in the past`, {
			description: `Today is ${today} in the time zone of the workflow (${timeZone}). Pick today or a later day. To end access to a container, use DRM > Revoke Access.`,
		});
	};
	const parseDays = (value: unknown, label: string) =>
		getDateInDays(parseInteger(value, label, 0, MAX_DAYS), timeZone);
	const time = omitUndefined({
		start: parse('timeStart', parseDay),
		end: parse('timeEnd', parseLastDay) ?? parse('accessDays', parseDays),
	});
	assertWindow(time, findEndField(fields));
	const rules = {
		dynamic: parse('dynamic', parseBoolean),
		geo: parseBoth('geo', parseList, (country) => ({ country })),
		ip: parseBoth('ip', parseIpRules, (entry) => entry),
		opens: parse('opens', (value, label) => parseInteger(value, label, 1)),
		time,
		downloadable: parse('downloadable', parseBoolean),
		recipients: parse('recipients', parseRecipients),
	};
	return omitUndefined(rules) ?? {};
}

/** The fields that set what `removeRules` removes. */
const REMOVED_BY: Record<string, Array<keyof typeof RULE_LABELS>> = {
	timeStart: ['timeStart'],
	timeEnd: [...END_FIELDS],
	geo: ['geoAllow', 'geoBlock'],
	ip: ['ipAllow', 'ipBlock'],
	opens: ['opens'],
};

/** The rules to remove, as they are sent: null, or the parts of `time`. @throws UserError for one that is also set */
export function parseRemovedRules(fields: IDataObject): Record<string, IDataObject | null> {
	if (!Object.hasOwn(fields, 'removeRules')) return {};
	const label = RULE_LABELS.removeRules;
	const entered = parseList(fields.removeRules, label);
	assertNotEmpty(entered, label);
	const removed: Record<string, IDataObject | null> = {};
	for (const name of entered) {
		const rule = parseChoice(name, label, removeRulesField.options);
		const field = REMOVED_BY[rule].find((other) => Object.hasOwn(fields, other));
		if (field !== undefined) {
			throw new UserError(`"${label}" and "${RULE_LABELS[field]}" can't be used together`, {
				description: `One removes the rule that the other sets. Remove one of them, or take ${rule} out of "${label}".`,
			});
		}
		if (rule === 'timeStart') removed.time = { ...removed.time, start: null };
		else if (rule === 'timeEnd') removed.time = { ...removed.time, end: null };
		else removed[rule] = null;
	}
	return removed;
}

function findEndField(fields: IDataObject) {
	const [first = 'timeEnd', second] = END_FIELDS.filter((field) => Object.hasOwn(fields, field));
	if (second === undefined) return first;
	throw new UserError(
		`"${RULE_LABELS[first]}" and "${RULE_LABELS[second]}" can't be used together`,
		{ description: 'Each of them sets when access ends. Remove one of them.' },
	);
}

/** @throws UserError naming the first entry that is not an address, or that would give access to everybody */
export function parseRecipients(value: unknown, label: string): string[] {
	const addresses = omitRepeated(parseAddresses(value, label));
	assertPlain(addresses, label, (address) => isPlain(address) && WHOLE_DOMAIN.test(address));
	return addresses;
}

/** @param field what the end comes from */
function assertWindow(
	{ start = '', end = start }: DrmRules['time'] = {},
	field: (typeof END_FIELDS)[number],
) {
	if (end >= start) return;
	throw new UserError(
		`"${RULE_LABELS[field]}" (${end}) is before "${RULE_LABELS.timeStart}" (${start})`,
		{ description: `In "${RULE_LABELS[field]}", end access on ${start} or later.` },
	);
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

/** @throws UserError for an empty list: it might open the container to everyone or to nobody */
export function assertNotEmpty(list: unknown[], label: string): void {
	if (list.length > 0) return;
	throw emptyError(label, `Enter at least one entry in "${label}", or remove this rule.`);
}

function omitUndefined<T extends object>(values: T): Partial<T> | undefined {
	const entries = Object.entries(values).filter(([, value]) => value !== undefined);
	return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Partial<T>);
}
