import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { findRules } from '../../../shared/api/drmRules';
import { RULE_KEYS } from '../../../shared/api/ruleValues';
import { MAX_DAYS, parseDate, parseServiceDate } from '../../../shared/parameters/dates';
import { parseAddresses } from '../../../shared/parameters/lists';
import { parseInteger } from '../../../shared/parameters/scalars';
import { isObject, isRecord } from '../../../shared/responses/shapes';
import { RULE_LABELS } from '../../descriptions/drmRules';
import type { Item } from '../../execution/item';
import type { RecipientPolicy } from '../../parameters/allowedRecipients';
import { assertRecipientsAllowed } from '../../parameters/allowedRecipients';
import type { EndField } from '../../parameters/drmRules';
import {
	assertDisjoint,
	assertNotEmpty,
	findEndField,
	parseDrmRules,
	parseRecipients,
} from '../../parameters/drmRules';
import { listRecipients } from '../../parameters/guardrails';
import { parseJsonObject } from '../../parameters/json';
import { parseChoiceField, specifyRules } from './choices';
import type { RecipientChange } from './ruleChanges';
import { changesRecipients, REVOKE_ADVICE } from './ruleChanges';

export const RULES_JSON_LABEL = 'Rules (JSON)';

/** What the node adds to the rules in its output. */
const OWN_FIELDS = ['containerId', 'changed'];

/** What the parameters of an update change. */
export interface Change {
	rules: DrmRules;
	recipients: RecipientChange;
	/** The field that sets the end. */
	endField?: EndField;
	extendByDays?: number;
	/** Whether the rules are in the format of the service: sent as entered. */
	isJson: boolean;
}

/** @throws UserError for a change that can't be sent */
export function parseChange(
	item: Pick<Item, 'getParameter' | 'getRawParameter' | 'timeZone'>,
	policy: RecipientPolicy,
): Change {
	if (parseChoiceField(item, specifyRules) === 'json') {
		const raw = item.getRawParameter('rulesJson');
		return parseJsonChange(item.getParameter('rulesJson'), raw, policy);
	}
	const fields = item.getParameter('rules', {}) as IDataObject;
	return parseFields(fields, item.getRawParameter('rules'), policy, item.timeZone);
}

function parseFields(
	fields: IDataObject,
	raw: unknown,
	policy: RecipientPolicy,
	timeZone: string,
): Change {
	const endField = findEndField(fields);
	const extendByDays =
		endField === 'extendByDays'
			? parseInteger(fields.extendByDays, RULE_LABELS.extendByDays, 1, MAX_DAYS)
			: undefined;
	const rules = parseDrmRules(fields, timeZone);
	const recipients = {
		add: parseRecipients(fields.addRecipients, RULE_LABELS.addRecipients),
		remove: parseAddresses(fields.removeRecipients, RULE_LABELS.removeRecipients),
	};
	const given = { recipients: rules.recipients ?? [], addRecipients: recipients.add };
	for (const [name, list] of Object.entries(given)) {
		const label = RULE_LABELS[name as keyof typeof given];
		assertDisjoint(list, recipients.remove, label, RULE_LABELS.removeRecipients);
		assertRecipientsAllowed(list, isRecord(raw) ? raw[name] : raw, label, policy);
	}
	const hasChange = changesRecipients(recipients);
	if (Object.keys(rules).length === 0 && !hasChange && extendByDays === undefined) {
		throw noRuleError('Rules to Change');
	}
	// Items can have somebody to add or somebody to remove, but a change that names nobody must not be dropped silently.
	for (const field of ['addRecipients', 'removeRecipients'] as const) {
		if (field in fields && !hasChange) assertNotEmpty([], RULE_LABELS[field]);
	}
	return { rules, recipients, endField, extendByDays, isJson: false };
}

function parseJsonChange(value: unknown, raw: unknown, policy: RecipientPolicy): Change {
	const rules = unwrapRules(parseJsonObject(value, RULES_JSON_LABEL));
	for (const source of [value, rules]) assertDays(source);
	if (Object.keys(rules).length === 0) throw noRuleError(RULES_JSON_LABEL);
	const recipients = listRecipients(rules);
	if ('recipients' in rules && recipients.length === 0) {
		throw new UserError(`"${RULES_JSON_LABEL}" would remove all recipients`, {
			description: REVOKE_ADVICE,
		});
	}
	assertRecipientsAllowed(recipients, raw, RULES_JSON_LABEL, policy);
	return { rules: toDays(rules), recipients: { add: [], remove: [] }, isJson: true };
}

/** The output of DRM > Get and of DRM > Update can be entered: the rules are taken from where the service has them. */
function unwrapRules(entered: IDataObject): DrmRules {
	const own = Object.entries(entered).filter(([key]) => !OWN_FIELDS.includes(key));
	const rules: IDataObject = Object.fromEntries(own);
	if (RULE_KEYS.some((key) => key in rules)) return rules;
	return findRules(rules).rules ?? rules;
}

/** The day of a date text is its first ten characters. A timestamp of the service, and what is no date, stay unchanged. */
function toDays(rules: DrmRules): DrmRules {
	if (!isRecord(rules.time)) return rules;
	const days = Object.entries(rules.time as IDataObject).map(([key, day]) => {
		const isShortened = typeof day === 'string' && /^\s*\d{4}-.*[^z\s]\s*$/i.test(day);
		return [key, (isShortened ? parseServiceDate(day) : undefined) ?? day];
	});
	return { ...rules, time: Object.fromEntries(days) as DrmRules['time'] };
}

/** An invalid date would become null in JSON, which removes the day. @throws UserError for a day that is no date */
function assertDays(value: unknown): void {
	const time = isRecord(value) && isRecord(value.time) ? value.time : {};
	for (const [key, day] of Object.entries(time)) {
		const isDate = isObject(day) || day === 'Invalid DateTime';
		if (isDate) parseDate(day, `${RULES_JSON_LABEL}: time.${key}`, 'UTC');
	}
}

function noRuleError(label: string): UserError {
	return new UserError(`"${label}" contains no rule`, {
		description: `Add at least one rule to "${label}".`,
	});
}
