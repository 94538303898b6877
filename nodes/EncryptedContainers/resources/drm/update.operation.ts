import { UserError, type IDataObject } from 'n8n-workflow';

import {
	cleanRecipients,
	findRules,
	limitsNothing,
	RULE_KEYS,
} from '../../../shared/api/shownRules';
import { withLink } from '../../../shared/api/links';
import { endpoints } from '../../../shared/client/endpoints';
import { simpleField } from '../../../shared/descriptions/options';
import { parseAddresses } from '../../../shared/parameters/addresses';
import { Calendar } from '../../../shared/parameters/calendar';
import { parseServiceDate } from '../../../shared/parameters/dates';
import { assertNotEmpty } from '../../../shared/parameters/values';
import { isRecord } from '../../../shared/responses/shapes';
import { choiceField, containerLocator, recipientOptions } from '../../descriptions/commonFields';
import { RULE_LABELS, updateRuleFields } from '../../descriptions/ruleFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { parseJsonCountries } from '../../parameters/countries';
import { assertDisjoint, parseEnteredRules, parseRuleField } from '../../parameters/enteredRules';
import {
	assertMaySend,
	getGuardrails,
	isEmptyPolicy,
	listRecipients,
} from '../../parameters/guardrails';
import { findPasswords, parseJsonObject } from '../../parameters/json';
import { parseRecipients } from '../../parameters/recipients';
import { decideUpdate, type EnteredUpdate } from './decideUpdate';
import { readModifyWrite, type RulesTask } from './readModifyWrite';
import { evenIfOverOption, REVOKE_ADVICE } from './ruleChanges';

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

export const updateRules = defineOperation({
	name: 'Update',
	value: 'update',
	action: 'Update the access rules of a container',
	description: 'Change access rules (DRM) of a container that has "Allow Changes Later" on',
	routing: { request: endpoints.updateDrmRules },
	alsoSends: [endpoints.getDrmRules],
	pathFields: [containerLocator],
	fields: [
		specifyRules,
		{
			displayName: 'Rules to Change',
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
	options: [...recipientOptions, evenIfOverOption],
	async parse(item) {
		const { task, calendar } = await parseUpdate(item);
		return { containerId: item.parsePathParam(containerLocator), task, calendar };
	},
	async send(item, { containerId: id, task, calendar }) {
		const { changed, shown } = await readModifyWrite(item, { id }, task);
		if (changed) item.addEndHint(calendar, shown.rules.time?.end);
		return [await withLink(item.client, id, { ...shown.record, changed })];
	},
});

/** What an update needs to know of the current rules, and what it sends, which must keep to the guardrails. */
export async function parseUpdate(item: Item): Promise<{ task: RulesTask; calendar?: Calendar }> {
	const isJson = item.read(specifyRules) === 'json';
	const entered = isJson ? await parseJsonRules(item) : await parseRuleFields(item);
	const { rules, add, remove, extendByDays } = entered;
	item.hide(findPasswords(rules));
	// A rule that is entered in part must be understood.
	const needs = RULE_KEYS.filter((key) => isRecord(rules[key]));
	if (extendByDays !== undefined) needs.push('time');
	if (add.length + remove.length > 0) needs.push('recipients');
	const guardrails = getGuardrails(item.client);
	// Whoever gets access, or for longer, must get no more than is allowed.
	const givesAccess = needs.includes('time') || 'recipients' in rules || add.length > 0;
	const isGuarded = givesAccess && !isEmptyPolicy(guardrails);
	if (isGuarded) needs.push('time', 'recipients', 'downloadable');
	const isEndGuarded = isGuarded && guardrails.maxAccessDays !== undefined;
	const countsDays = extendByDays !== undefined || 'time' in rules || isEndGuarded;
	const calendar = countsDays ? await item.getCalendar() : undefined;
	const update = { item, entered, calendar: calendar ?? new Calendar(item.timeZone) };
	const task: RulesTask = {
		needs,
		decide: (shown, title) => decideUpdate(update, shown, title),
	};
	return { task, calendar };
}

async function parseRuleFields(item: Item): Promise<EnteredUpdate> {
	const fields = item.getParameter('rules', {}) as IDataObject;
	assertNotEmpty(Object.keys(fields), 'Rules to Change');
	const label = RULE_LABELS;
	const rules = await parseEnteredRules(fields, item);
	const add = parseRecipients(fields.addRecipients, label.addRecipients);
	const remove = parseAddresses(fields.removeRecipients, label.removeRecipients);
	assertDisjoint([listRecipients(rules), label.recipients], [remove, label.removeRecipients]);
	assertDisjoint([add, label.addRecipients], [remove, label.removeRecipients]);
	await assertMaySend(item, 'change', rules, { name: 'rules', displayName: label.recipients });
	const added = { recipients: add };
	await assertMaySend(item, 'change', added, { name: 'rules', displayName: label.addRecipients });
	// Items can have somebody to add or somebody to remove, but a change that names nobody must not be dropped silently.
	for (const name of ['addRecipients', 'removeRecipients'] as const) {
		if (name in fields) assertNotEmpty([...add, ...remove], label[name]);
	}
	const extendByDays = parseRuleField<number>(fields, 'extendByDays');
	return { rules, add, remove, extendByDays, evenIfOver: item.read(evenIfOverOption) };
}

async function parseJsonRules(item: Item): Promise<EnteredUpdate> {
	const json = parseJsonObject(item.getParameter('rulesJson'), JSON_LABEL);
	const { containerId, changed, ...entered } = json;
	// Fields of the output of Access Rules (DRM) > Get or Access Rules (DRM) > Update beside its rules are those of the service.
	const isOutput = containerId !== undefined || changed !== undefined;
	const entries = Object.entries(findRules(entered) ?? entered).filter(
		([key, value]) => value !== undefined && (!isOutput || RULE_KEYS.some((rule) => rule === key)),
	);
	assertNotEmpty(entries, JSON_LABEL);
	const values = entries.map(([key, value]) => [key, toRule(key, value, item.timeZone)]);
	const rules = Object.fromEntries(values) as IDataObject;
	if ('recipients' in rules && listRecipients(rules).length === 0) {
		const message = `"${JSON_LABEL}" would remove all recipients`;
		throw new UserError(message, { description: REVOKE_ADVICE });
	}
	await assertMaySend(item, 'change', rules, rulesJsonField);
	return { rules, add: [], remove: [], evenIfOver: false };
}

/** The value of a rule as it is sent: nothing as null, countries as codes, and moments as days. */
function toRule(key: string, value: IDataObject[string], timeZone: string): unknown {
	if (limitsNothing(value)) return null;
	if (key === 'recipients') return cleanRecipients(value);
	if (key === 'geo') return parseJsonCountries(value, JSON_LABEL);
	if (key !== 'time' || !isRecord(value)) return value;
	const parts = Object.entries(value).map(([part, date]) => {
		return [part, limitsNothing(date) ? null : (parseServiceDate(date, timeZone) ?? date)];
	});
	return Object.fromEntries(parts);
}
