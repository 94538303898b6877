import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { findRules } from '../../../shared/api/drmRules';
import { isSet, parseDay, parseRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import { getDateInDays, MAX_DAYS } from '../../../shared/parameters/dates';
import { parseAddresses } from '../../../shared/parameters/lists';
import { parseChoiceField, parseInteger, parseOption } from '../../../shared/parameters/scalars';
import { isFilled, isObject, isRecord } from '../../../shared/responses/shapes';
import { choiceField, simpleField } from '../../descriptions/commonFields';
import { RULE_LABELS, updateRuleFields } from '../../descriptions/drmRules';
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
import { REVOKE_ADVICE, type RecipientChange } from './ruleChanges';

const FIELDS_LABEL = 'Rules to Change';
const JSON_LABEL = 'Rules (JSON)';

const specifyRules = choiceField(
	['Specify Rules', 'specifyRules', 'fields'],
	{ fields: ['Using Fields Below'], json: ['Using JSON'] },
	'How to enter the rules to change',
	{ noDataExpression: true },
);

export const updateFields: INodeProperties[] = [
	specifyRules,
	{
		displayName: FIELDS_LABEL,
		name: 'rules',
		type: 'collection',
		placeholder: 'Add Rule',
		default: {},
		description: "Rules you don't add stay as they are",
		options: updateRuleFields,
		displayOptions: { show: { specifyRules: ['fields'] } },
	},
	simpleField(
		[JSON_LABEL, 'rulesJson', '{\n  "opens": 5,\n  "time": { "end": "2026-12-31" }\n}'],
		'Rules in the format of the service, such as the output of Get: dynamic, geo, ip, opens, time, downloadable, recipients. null removes a rule.',
		{ type: 'json', required: true, displayOptions: { show: { specifyRules: ['json'] } } },
	),
];

/** What the user entered. */
export interface Change {
	/** Null removes a rule, or a part of `time`, `geo` or `ip`; their other parts stay. */
	rules: IDataObject;
	recipients: RecipientChange;
	extendByDays?: number;
	today: string;
}

export function parseChange(item: Item, policy: RecipientPolicy): Change {
	const today = getDateInDays(0, item.timeZone);
	return parseChoiceField(item, specifyRules) === 'json'
		? { rules: parseJsonRules(item, policy), recipients: { add: [], remove: [] }, today }
		: { ...parseRuleFields(item, policy), today };
}

function parseRuleFields(item: Item, policy: RecipientPolicy): Omit<Change, 'today'> {
	const fields = item.getParameter('rules', {}) as IDataObject;
	const raw = item.getRawParameter('rules');
	const label = RULE_LABELS;
	if (Object.keys(fields).length === 0) throw noRuleError(FIELDS_LABEL);
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

function parseJsonRules(item: Item, policy: RecipientPolicy): IDataObject {
	const json = parseJsonObject(item.getParameter('rulesJson'), JSON_LABEL);
	const { containerId, changed, ...entered } = json;
	// Fields of the output of DRM > Get or DRM > Update beside its rules are those of the service.
	const isOutput = containerId !== undefined || changed !== undefined;
	const entries = Object.entries(findRules(entered) ?? entered).filter(
		([key, value]) => value !== undefined && (!isOutput || RULE_KEYS.some((rule) => rule === key)),
	);
	if (entries.length === 0) throw noRuleError(JSON_LABEL);
	const values = entries.map(([key, value]) => [key, toRule(key, value, item.timeZone)]);
	const rules = Object.fromEntries(values) as IDataObject;
	if ('recipients' in rules && listRecipients(rules).length === 0) {
		const message = `"${JSON_LABEL}" would remove all recipients`;
		throw new UserError(message, { description: REVOKE_ADVICE });
	}
	assertJsonAllowed(rules, 'rules', item.getRawParameter('rulesJson'), JSON_LABEL, policy);
	return rules;
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
