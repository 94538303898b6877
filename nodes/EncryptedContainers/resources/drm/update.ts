import { UserError, type IDataObject } from 'n8n-workflow';

import { findRules, type DrmRules, type ShownRules } from '../../../shared/api/drmRules';
import { toContainerKey } from '../../../shared/api/records';
import { isSameRule, parseRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import {
	isNoDate,
	MAX_DAYS,
	parseDate,
	parseServiceDate,
	toNearestDay,
} from '../../../shared/parameters/dates';
import { parseAddresses } from '../../../shared/parameters/lists';
import { parseChoiceField, parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { isObject, isRecord } from '../../../shared/responses/shapes';
import { choiceField } from '../../descriptions/commonFields';
import { RULE_LABELS } from '../../descriptions/drmRules';
import type { Item } from '../../execution/item';
import { assertRecipientsAllowed, type RecipientPolicy } from '../../parameters/allowedRecipients';
import type { EndField } from '../../parameters/drmRules';
import {
	assertDisjoint,
	assertNotEmpty,
	assertWindow,
	findEndField,
	parseDrmRules,
	parseRecipients,
} from '../../parameters/drmRules';
import type { Guardrails } from '../../parameters/guardrails';
import {
	assertJsonAllowed,
	assertRulesAllowed,
	isEmptyPolicy,
	listRecipients,
} from '../../parameters/guardrails';
import { parseJsonObject } from '../../parameters/json';
import type { Decide } from './changeRules';
import { isSameState } from './recentChanges';
import type { RecipientChange } from './ruleChanges';
import { extendEnd, listChangedInPart, mergeRules, NEVER, REVOKE_ADVICE } from './ruleChanges';

export const RULES_JSON_LABEL = 'Rules (JSON)';

export const specifyRules = choiceField(
	['Specify Rules', 'specifyRules', 'fields'],
	{ fields: ['Using Fields Below'], json: ['Using JSON'] },
	'How to enter the rules to change',
	{ noDataExpression: true },
);

type Source = Pick<Item, 'getParameter' | 'getRawParameter' | 'timeZone'>;

export interface Change {
	rules: DrmRules;
	recipients: RecipientChange;
	endField?: EndField;
	extendByDays?: number;
	/** Whether the rules are in the format of the service: sent as entered. */
	isJson: boolean;
}

export function parseChange(item: Source, policy: RecipientPolicy, containerId = ''): Change {
	const isJson = parseChoiceField(item, specifyRules) === 'json';
	return isJson ? parseJsonChange(item, policy, containerId) : parseFields(item, policy);
}

/** What an update needs to know of the current rules, and what it sends. The end of an extension must keep to guardrails. */
export function planUpdate(
	change: Change & { keepOtherRules: boolean; today: string },
	guardrails: Guardrails,
) {
	const { rules: entered, recipients, extendByDays, isJson, today } = change;
	const changesRecipients = recipients.add.length + recipients.remove.length > 0;
	// A service that drops the rules that are not sent would drop the end with them.
	const keepsOthers = change.keepOtherRules || !isEmptyPolicy(guardrails);
	const needs = [
		...(keepsOthers ? listChangedInPart(entered) : []),
		...(changesRecipients ? ['recipients'] : []),
		...(extendByDays === undefined ? [] : ['time']),
	];
	const decide: Decide = (shown, container, sent) => {
		if (shown === undefined) return { toSend: entered, entered: isJson ? entered : undefined };
		const { rules: current, record } = shown;
		// The fields that the service shows beside the rules come along where its rules are entered as they were returned.
		const fields = Object.entries(entered).filter(
			([key, value]) => RULE_KEYS.includes(key) || !isSameRule(value, record[key]),
		);
		const rules: DrmRules = Object.fromEntries(fields);
		const { extendedEnd } = sent ?? {};
		const end = extendByDays && extendEnd(current, extendByDays, today, container, extendedEnd);
		if (end) {
			rules.time = { ...rules.time, end };
			assertRulesAllowed(rules, guardrails, today);
		}
		const merged = mergeRules(current, rules, recipients, container);
		// Who has access longer than before is bound by the guardrails as one who is new.
		if (end || endsLater(merged.time?.end, current.time?.end)) {
			const people = listRecipients(merged);
			// The rules of before are as they came.
			const { downloadable: merging } = merged;
			const downloadable = rules.downloadable ?? parseRule('downloadable', merging) ?? merging;
			assertRulesAllowed({ recipients: people, downloadable: downloadable as boolean }, guardrails);
		}
		if (!isJson && rules.time !== undefined) assertWindow(merged.time ?? {}, change.endField);
		const isDocumented = fields.every(([key]) => RULE_KEYS.includes(key));
		if (isDocumented && isSameState(merged, current)) return undefined;
		const part = changesRecipients ? { ...rules, recipients: merged.recipients } : rules;
		return {
			toSend: keepsOthers ? merged : part,
			entered: isJson ? rules : undefined,
			extendedEnd: end || extendedEnd,
		};
	};
	return { needs: keepsOthers || needs.length > 0 ? needs : undefined, decide };
}

function endsLater(end: unknown, before: unknown): boolean {
	// An end that can't be understood is one, too: before as the earliest, afterwards as none.
	const last = toNearestDay(before) ?? (isNoDate(before) ? NEVER : '');
	const day = parseServiceDate(end) ?? NEVER;
	return !isSameRule(end, before) && last < NEVER && day > last;
}

function parseFields(item: Source, policy: RecipientPolicy): Change {
	const fields = item.getParameter('rules', {}) as IDataObject;
	const raw = item.getRawParameter('rules');
	const label = RULE_LABELS;
	const endField = findEndField(fields);
	const extendByDays = parseOption(fields, 'extendByDays', undefined, (days) =>
		parseInteger(days, label.extendByDays, 1, MAX_DAYS),
	);
	const rules = parseDrmRules(fields, item.timeZone);
	const add = parseRecipients(fields.addRecipients, label.addRecipients);
	const remove = parseAddresses(fields.removeRecipients, label.removeRecipients);
	const lists = { recipients: rules.recipients ?? [], addRecipients: add };
	for (const name of ['recipients', 'addRecipients'] as const) {
		assertDisjoint(lists[name], remove, label[name], label.removeRecipients);
		assertRecipientsAllowed(lists[name], isRecord(raw) ? raw[name] : raw, label[name], policy);
	}
	// Items can have somebody to add or somebody to remove, but a change that names nobody must not be dropped silently.
	for (const name of ['addRecipients', 'removeRecipients'] as const) {
		if (name in fields) assertNotEmpty([...add, ...remove], label[name]);
	}
	if (Object.keys(fields).length === 0) throw noRuleError('Rules to Change');
	return { rules, recipients: { add, remove }, endField, extendByDays, isJson: false };
}

function parseJsonChange(item: Source, policy: RecipientPolicy, containerId: string): Change {
	const label = RULES_JSON_LABEL;
	const value = item.getParameter('rulesJson');
	const entered = parseJsonObject(value, label);
	const { containerId: source = containerId } = entered;
	delete entered.containerId;
	delete entered.changed;
	// The output of DRM > Get and of DRM > Update can be entered: the rules are taken from where the service has them.
	const isBare = RULE_KEYS.some((key) => key in entered);
	const { rules: found, own } = findRules(entered) as Partial<ShownRules>;
	// Those of another container come without its ID and its other fields.
	const isOther = toContainerKey(String(source)) !== toContainerKey(containerId);
	const whole = isBare ? entered : found && { ...own, ...found };
	const rules = toDays((isOther ? found : whole) ?? entered);
	if (Object.keys(rules).length === 0) throw noRuleError(label);
	if ('recipients' in rules && listRecipients(rules).length === 0) {
		throw new UserError(`"${label}" would remove all recipients`, { description: REVOKE_ADVICE });
	}
	assertJsonAllowed(rules, 'rules', item.getRawParameter('rulesJson'), label, policy);
	return { rules, recipients: { add: [], remove: [] }, isJson: true };
}

/** Dates become days; timestamps stay. @throws UserError for what can't be a day */
function toDays(rules: DrmRules): DrmRules {
	if (!isRecord(rules.time)) return rules;
	const time: IDataObject = rules.time;
	const days = Object.entries(time).map(([key, day]) => {
		if (isObject(day)) parseDate(day, `${RULES_JSON_LABEL}: time.${key}`, 'UTC');
		const isShortened = typeof day === 'string' && /^\s*\d{4}-.*[^z\s]\s*$/i.test(day);
		return [key, (isShortened ? parseServiceDate(day) : undefined) ?? day];
	});
	return { ...rules, time: Object.fromEntries(days) as DrmRules['time'] };
}

function noRuleError(label: string): UserError {
	return new UserError(`"${label}" contains no rule`, {
		description: `Add at least one rule to "${label}".`,
	});
}
