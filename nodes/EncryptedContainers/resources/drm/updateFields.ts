import { UserError, type IDataObject } from 'n8n-workflow';

import { findRules } from '../../../shared/api/drmRules';
import { isSet, parseDay, parseRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import { getDateInDays, MAX_DAYS } from '../../../shared/parameters/dates';
import { parseAddresses } from '../../../shared/parameters/lists';
import { parseChoiceField, parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { isFilled, isObject, isRecord } from '../../../shared/responses/shapes';
import { choiceField } from '../../descriptions/commonFields';
import { RULE_LABELS } from '../../descriptions/drmRules';
import type { Item } from '../../execution/item';
import { assertRecipientsAllowed, type RecipientPolicy } from '../../parameters/allowedRecipients';
import {
	assertDisjoint,
	assertNotEmpty,
	parseDrmRules,
	parseRecipients,
	parseRemovedRules,
} from '../../parameters/drmRules';
import { assertJsonAllowed, listRecipients } from '../../parameters/guardrails';
import { parseJsonObject } from '../../parameters/json';
import { REVOKE_ADVICE } from './ruleChanges';
import type { Change } from './update';

export const RULES_JSON_LABEL = 'Rules (JSON)';

export const specifyRules = choiceField(
	['Specify Rules', 'specifyRules', 'fields'],
	{ fields: ['Using Fields Below'], json: ['Using JSON'] },
	'How to enter the rules to change',
	{ noDataExpression: true },
);

type Source = Pick<Item, 'getParameter' | 'getRawParameter' | 'timeZone'>;

export function parseChange(item: Source, policy: RecipientPolicy): Change {
	const today = getDateInDays(0, item.timeZone);
	const parse = parseChoiceField(item, specifyRules) === 'json' ? parseJsonChange : parseFields;
	return { ...parse(item, policy), today };
}

function parseFields(item: Source, policy: RecipientPolicy): Omit<Change, 'today'> {
	const fields = item.getParameter('rules', {}) as IDataObject;
	const raw = item.getRawParameter('rules');
	const label = RULE_LABELS;
	if (Object.keys(fields).length === 0) throw noRuleError('Rules to Change');
	const extendByDays = parseOption(fields, 'extendByDays', undefined, (days) =>
		parseInteger(days, label.extendByDays, 1, MAX_DAYS),
	);
	const rules: IDataObject = parseDrmRules(fields, item.timeZone);
	const add = parseRecipients(fields.addRecipients, label.addRecipients);
	const remove = parseAddresses(fields.removeRecipients, label.removeRecipients);
	const lists = { recipients: (rules.recipients ?? []) as string[], addRecipients: add };
	for (const name of ['recipients', 'addRecipients'] as const) {
		assertDisjoint(lists[name], remove, label[name], label.removeRecipients);
		assertRecipientsAllowed(lists[name], isRecord(raw) ? raw[name] : raw, label[name], policy);
	}
	// Items can have somebody to add or somebody to remove, but a change that names nobody must not be dropped silently.
	for (const name of ['addRecipients', 'removeRecipients'] as const) {
		if (name in fields) assertNotEmpty([...add, ...remove], label[name]);
	}
	for (const [rule, removed] of Object.entries(parseRemovedRules(fields))) {
		rules[rule] = removed && { ...(rules[rule] as IDataObject), ...removed };
	}
	return { rules, recipients: { add, remove }, extendByDays };
}

function parseJsonChange(item: Source, policy: RecipientPolicy): Omit<Change, 'today'> {
	const label = RULES_JSON_LABEL;
	const { containerId, changed, ...entered } = parseJsonObject(
		item.getParameter('rulesJson'),
		label,
	);
	const isBare = RULE_KEYS.some((key) => key in entered);
	const found = isBare ? entered : (findRules(entered) ?? entered);
	// Fields of the output of DRM > Get or DRM > Update beside its rules are those of the service.
	const isOutput = containerId !== undefined || changed !== undefined;
	const fields = Object.entries(found).filter(
		([key, value]) => value !== undefined && (!isOutput || RULE_KEYS.some((rule) => rule === key)),
	);
	const values = fields.map(([key, value]) => [key, toRule(key, value, item.timeZone)]);
	const rules = Object.fromEntries(values) as IDataObject;
	if (fields.length === 0) throw noRuleError(label);
	if ('recipients' in rules && listRecipients(rules).length === 0) {
		throw new UserError(`"${label}" would remove all recipients`, { description: REVOKE_ADVICE });
	}
	assertJsonAllowed(rules, 'rules', item.getRawParameter('rulesJson'), label, policy);
	return { rules, recipients: { add: [], remove: [] } };
}

/** The value of a rule as it is sent: nothing as null, and moments as days. */
function toRule(key: string, value: unknown, timeZone: string): unknown {
	if (!isSet(value) || (isObject(value) && !isFilled(value))) return null;
	if (key === 'recipients') return parseRule(key, value) ?? value;
	if (key !== 'time' || !isRecord(value)) return value;
	const parts = Object.entries(value).map(([part, date]) => {
		return [part, isSet(date) ? (parseDay(date, timeZone) ?? date) : null];
	});
	return Object.fromEntries(parts);
}

function noRuleError(label: string): UserError {
	return new UserError(`"${label}" contains no rule`, {
		description: `Add at least one rule to "${label}".`,
	});
}
