import { UserError, type IDataObject } from 'n8n-workflow';

import { findRules, isSet, parseDay, parseRule, RULE_KEYS } from '../../../shared/api/drmRules';
import { withContainerId } from '../../../shared/api/records';
import { parseAddresses } from '../../../shared/parameters/addresses';
import { getDateInDays, MAX_DAYS } from '../../../shared/parameters/dates';
import { parseChoiceField, parseInteger, parseOption } from '../../../shared/parameters/values';
import { isFilled, isObject, isRecord } from '../../../shared/responses/shapes';
import { choiceField, recipientOptions, simpleField } from '../../descriptions/commonFields';
import { RULE_LABELS, updateRuleFields } from '../../descriptions/drmRules';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import {
	assertDisjoint,
	assertNotEmpty,
	parseDrmRules,
	parseRemovedRules,
} from '../../parameters/drmRules';
import {
	assertAllowed,
	assertJsonAllowed,
	getGuardrails,
	listRecipients,
} from '../../parameters/guardrails';
import { findPasswords, parseJsonObject } from '../../parameters/json';
import { assertRecipientsAllowed, parseRecipients } from '../../parameters/recipients';
import { changeRules } from './changeRules';
import { planUpdate, REVOKE_ADVICE, type Change } from './updatePatch';

const FIELDS_LABEL = 'Rules to Change';
const JSON_LABEL = 'Rules (JSON)';

const specifyRules = choiceField(
	['Specify Rules', 'specifyRules', 'fields'],
	{ fields: ['Using Fields Below'], json: ['Using JSON'] },
	'How to enter the rules to change',
	{ noDataExpression: true },
);

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
		simpleField(
			[JSON_LABEL, 'rulesJson', '{\n  "opens": 5,\n  "time": { "end": "2026-12-31" }\n}'],
			'Rules in the format of the service, such as the output of Get: dynamic, geo, ip, opens, time, downloadable, recipients. null removes a rule.',
			{ type: 'json', required: true, displayOptions: { show: { specifyRules: ['json'] } } },
		),
	],
	options: recipientOptions,
	parse(item) {
		const { containerId } = item.pathParams;
		const change = parseChange(item);
		item.sensitiveValues.push(...findPasswords(change.rules));
		const guardrails = getGuardrails(item.client);
		assertAllowed('rules', change.rules, guardrails, change.today);
		assertAllowed('rules', { recipients: change.add }, guardrails);
		return { containerId, task: planUpdate(change, guardrails) };
	},
	async send(item, { containerId: id, task }) {
		const { changed, shown } = await changeRules(item, { id }, task);
		return [withContainerId(id, { ...shown.record, changed })];
	},
});

export function parseChange(item: Item): Change {
	const today = getDateInDays(0, item.timeZone);
	return parseChoiceField(item, specifyRules) === 'json'
		? { rules: parseJsonRules(item), add: [], remove: [], today }
		: { ...parseRuleFields(item), today };
}

function parseRuleFields(item: Item): Omit<Change, 'today'> {
	const fields = item.getParameter('rules', {}) as IDataObject;
	if (Object.keys(fields).length === 0) throw noRuleError(FIELDS_LABEL);
	const label = RULE_LABELS;
	const extendByDays = parseOption(fields, 'extendByDays', undefined, (days) =>
		parseInteger(days, label.extendByDays, 1, MAX_DAYS),
	);
	const rules: IDataObject = parseDrmRules(fields, item.timeZone);
	const add = parseRecipients(fields.addRecipients, label.addRecipients);
	const remove = parseAddresses(fields.removeRecipients, label.removeRecipients);
	const lists = { recipients: (rules.recipients ?? []) as string[], addRecipients: add };
	for (const name of ['recipients', 'addRecipients'] as const) {
		assertDisjoint(lists[name], remove, label[name], label.removeRecipients);
		assertRecipientsAllowed(item, lists[name], 'rules', label[name]);
	}
	// Items can have somebody to add or somebody to remove, but a change that names nobody must not be dropped silently.
	for (const name of ['addRecipients', 'removeRecipients'] as const) {
		if (name in fields) assertNotEmpty([...add, ...remove], label[name]);
	}
	for (const [rule, removed] of Object.entries(parseRemovedRules(fields))) {
		rules[rule] = removed && { ...(rules[rule] as IDataObject), ...removed };
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
	assertJsonAllowed(item, 'rules', rules, 'rulesJson', JSON_LABEL);
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
