import { UserError, type IDataObject } from 'n8n-workflow';

import {
	findRules,
	isSameRule,
	isSet,
	parseDay,
	parseRule,
	parseRules,
	RULE_KEYS,
	type DrmRules,
	type RuleKey,
	type ShownRules,
} from '../../../shared/api/drmRules';
import { withContainerId } from '../../../shared/api/records';
import { parseAddresses } from '../../../shared/parameters/addresses';
import { getDateInDays } from '../../../shared/parameters/dates';
import { assertNotEmpty } from '../../../shared/parameters/values';
import { isFilled, isObject, isRecord } from '../../../shared/responses/shapes';
import { choiceField, recipientOptions, simpleField } from '../../descriptions/commonFields';
import { RULE_LABELS, updateRuleFields } from '../../descriptions/drmRules';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { assertDisjoint, parseDrmRules, parseRuleField } from '../../parameters/drmRules';
import {
	assertAllowed,
	assertMaySend,
	getGuardrails,
	isEmptyPolicy,
	listRecipients,
	type Guardrails,
} from '../../parameters/guardrails';
import { findPasswords, parseJsonObject } from '../../parameters/json';
import { parseRecipients } from '../../parameters/recipients';
import { changeRules, type RulesTask } from './changeRules';
import { changeRecipients, extendEnd, NEVER, REVOKE_ADVICE, toWindow } from './ruleChanges';
import type { RulesChange, RulesPatch } from './ruleChanges';

const FIELDS_LABEL = 'Rules to Change';
const JSON_LABEL = 'Rules (JSON)';

const specifyRules = choiceField(
	['Specify Rules', 'specifyRules', 'fields'],
	{ fields: ['Using Fields Below'], json: ['Using JSON'] },
	'How to enter the rules to change',
	{ noDataExpression: true },
);

const rulesJsonField = simpleField(
	[JSON_LABEL, 'rulesJson', '{\n  "opens": 5,\n  "time": { "end": "2026-12-31" }\n}'],
	`Rules in the format of the service, such as the output of Get: ${RULE_KEYS.join(', ')}. null removes a rule.`,
	{ type: 'json', required: true, displayOptions: { show: { specifyRules: ['json'] } } },
);

/** What the user entered. */
interface Change {
	/** Null removes a rule, or a part of `time`, `geo` or `ip`; their other parts stay. */
	rules: IDataObject;
	/** Recipients. */
	add: string[];
	remove: string[];
	extendByDays?: number;
	today: string;
}

export const updateRules = defineOperation({
	name: 'Update',
	value: 'update',
	action: 'Update the access rules of a container',
	description:
		'Change some access rules (DRM) of a container, if it was encoded with "Allow Changes Later" on',
	endpoint: { method: 'PATCH', path: '/containers/{containerId}/drm' },
	fields: [
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
		rulesJsonField,
	],
	options: recipientOptions,
	parse(item) {
		const { containerId } = item.pathParams;
		const change = parseChange(item);
		item.sensitiveValues.push(...findPasswords(change.rules));
		return { containerId, task: planUpdate(change, getGuardrails(item.client)) };
	},
	async send(item, { containerId: id, task }) {
		const { changed, shown } = await changeRules(item, { id }, task);
		return [withContainerId(id, { ...shown.record, changed })];
	},
});

export function parseChange(item: Item): Change {
	const today = getDateInDays(0, item.timeZone);
	return item.read(specifyRules) === 'json'
		? { rules: parseJsonRules(item), add: [], remove: [], today }
		: { ...parseRuleFields(item), today };
}

function parseRuleFields(item: Item): Omit<Change, 'today'> {
	const fields = item.getParameter('rules', {}) as IDataObject;
	if (Object.keys(fields).length === 0) throw noRuleError(FIELDS_LABEL);
	const label = RULE_LABELS;
	const extendByDays = parseRuleField<number>(fields, 'extendByDays');
	const rules = parseDrmRules(fields, item.timeZone);
	const add = parseRecipients(fields.addRecipients, label.addRecipients);
	const remove = parseAddresses(fields.removeRecipients, label.removeRecipients);
	const given = { recipients: rules, addRecipients: { recipients: add } };
	for (const name of ['recipients', 'addRecipients'] as const) {
		const { [name]: sent } = given;
		assertDisjoint(listRecipients(sent), remove, label[name], label.removeRecipients);
		assertMaySend(item, 'rules', sent, { name: 'rules', displayName: label[name] });
	}
	// Items can have somebody to add or somebody to remove, but a change that names nobody must not be dropped silently.
	for (const name of ['addRecipients', 'removeRecipients'] as const) {
		if (name in fields) assertNotEmpty([...add, ...remove], label[name]);
	}
	return { rules, add, remove, extendByDays };
}

function parseJsonRules(item: Item): IDataObject {
	const json = parseJsonObject(item.getParameter('rulesJson'), JSON_LABEL);
	const { containerId, changed, ...entered } = json;
	// Fields of the output of Access Rules (DRM) > Get or Access Rules (DRM) > Update beside its rules are those of the service.
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
	assertMaySend(item, 'rules', rules, rulesJsonField);
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

/** What an update needs to know of the current rules, and what it sends, which must keep to the guardrails. */
export function planUpdate(change: Change, guardrails: Guardrails): RulesTask {
	const { rules, add, remove, extendByDays } = change;
	const needs = listParts(rules);
	if (extendByDays !== undefined) needs.push('time');
	if (add.length + remove.length > 0) needs.push('recipients');
	// Whoever gets access for longer must be allowed.
	const isGuarded = needs.includes('time') && !isEmptyPolicy(guardrails);
	if (isGuarded) needs.push('recipients', 'downloadable');
	return { needs, decide: (shown, title) => decideUpdate(change, guardrails, shown, title) };
}

function decideUpdate(
	{ rules, add, remove, extendByDays, today }: Change,
	guardrails: Guardrails,
	{ rules: current, record }: ShownRules,
	title: string,
): RulesChange | undefined {
	const end = extendByDays && extendEnd(current, extendByDays, today);
	const entered = end ? { ...rules, time: { ...(rules.time as IDataObject), end } } : rules;
	const after: RulesPatch = { ...current, ...entered };
	for (const key of listParts(entered)) Object.assign(after, mergeParts(key, current, entered));
	if (add.length + remove.length > 0) {
		after.recipients = changeRecipients(after.recipients ?? [], { add, remove }, title);
	}
	// An end that can't be understood can be any.
	const { end: last = NEVER } = parseRules({ time: after.time }).rules.time ?? {};
	const isChanged = !isSameRule(after.time, current.time);
	if (isChanged && last > (current.time?.end ?? NEVER)) {
		const { time, recipients, downloadable } = after;
		assertAllowed('rules', { time, recipients, downloadable } as IDataObject, guardrails, today);
	}
	const before: IDataObject = { ...record, ...current };
	const changed = Object.entries(after).filter(([key, value]) => !isSameRule(value, before[key]));
	if (changed.length === 0) return undefined;
	const patch = Object.fromEntries(changed) as IDataObject;
	const isStartEntered = isRecord(entered.time) && 'start' in entered.time;
	if (isRecord(patch.time) && !isStartEntered) patch.time = toWindow(patch.time, today);
	return { patch, isReplacement: 'recipients' in rules, isExtension: Boolean(end) };
}

/** A rule with the parts that are entered, without those that are null; null where none is left. */
function mergeParts(key: RuleKey, current: DrmRules, entered: IDataObject): RulesPatch {
	const { [key]: rule } = current;
	const parts = { ...(isRecord(rule) ? rule : {}), ...(entered[key] as IDataObject) };
	const left = Object.entries(parts).filter(([, part]) => part !== null);
	return { [key]: left.length > 0 ? Object.fromEntries(left) : null };
}

/** The rules that are entered in part: the current ones must be understood. */
function listParts(rules: IDataObject): RuleKey[] {
	return RULE_KEYS.filter((key) => isRecord(rules[key]) && isFilled(rules[key]));
}
