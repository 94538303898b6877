import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { fetchRules, findRules } from '../../../shared/api/drmRules';
import { isSameRule } from '../../../shared/api/ruleValues';
import type { ServiceRequest } from '../../../shared/client/client';
import { takeBreak } from '../../../shared/client/takeBreak';
import {
	getDateInDays,
	isDayAnywhere,
	MAX_DAYS,
	parseDate,
} from '../../../shared/parameters/dates';
import { parseAddresses } from '../../../shared/parameters/lists';
import {
	parseBoolean,
	parseChoice,
	parseInteger,
	parseOption,
} from '../../../shared/parameters/scalars';
import { isRecord } from '../../../shared/responses/shapes';
import { RULE_LABELS } from '../../descriptions/drmRules';
import type { Item } from '../../execution/item';
import type { ItemState } from '../../execution/memory';
import type { Call, Operation } from '../../execution/operation';
import type { EndField } from '../../parameters/drmRules';
import {
	assertDisjoint,
	assertNotEmpty,
	findEndField,
	parseDrmRules,
	parseRecipients,
} from '../../parameters/drmRules';
import { parseJsonObject } from '../../parameters/json';
import { findPasswords } from '../../parameters/passwords';
import type { RuleChangeResult } from './changeRules';
import { changeRules } from './changeRules';
import { RULE_MODES } from './choices';
import { findContradiction, quoteJson } from './contradiction';
import type { RecipientChange } from './ruleChanges';
import {
	assertChangeable,
	assertFitsWindow,
	assertRecipientsNotEmptied,
	changesRecipients,
	extendWindow,
	mergeRules,
} from './ruleChanges';

/** The texts of Luxon's DateTime. */
const DATE_TIME = /T\d{2}:\d{2}:\d{2}\.\d{3}(Z|[+-]\d{2}:\d{2})$/;
const INVALID_DATE_TIME = 'Invalid DateTime';

/** What the parameters change. */
interface Change {
	rules: DrmRules;
	recipients: RecipientChange;
	/** The field that sets the end. */
	endField?: EndField;
	extendByDays?: number;
	/** Whether access can't end before it starts. JSON is sent as entered. */
	isWindowChecked: boolean;
}

interface RuleChange extends Change {
	containerId: string;
	keepOtherRules: boolean;
	/** The day in the time zone of the workflow, `YYYY-MM-DD`. */
	today: string;
}

/** Changes rules of a container (docs/openapi.yaml, updateDrmRules), also if the service drops omitted ones. */
export const update: Operation<RuleChange> = {
	parse(item) {
		const { containerId } = item.getPathParams();
		const change = getChange(item);
		item.sensitiveValues.push(...findPasswords(change.rules, 'Rules (JSON)'));
		return {
			containerId,
			...change,
			today: getDateInDays(0, item.timeZone),
			keepOtherRules: parseOption(item.getOptions(), 'keepOtherRules', true, (value) =>
				parseBoolean(value, 'Keep Other Rules'),
			),
		};
	},
	// Two items can change the same container: each must see the changes of the one before.
	getKey: ({ containerId }) => containerId,
	isRepeatable: ({ extendByDays }) => extendByDays === undefined,
	async send(call, change) {
		return await changeRules(call, change.containerId, async () => await sendChange(call, change));
	},
};

/** @returns what the service shows of the rules, or `success` where it shows nothing */
async function sendChange(call: Call, change: RuleChange): Promise<RuleChangeResult> {
	const { client } = call;
	const { containerId } = change;
	const plan = await planChange(call, change);
	if (plan.toSend === undefined) return { rules: plan.current };
	const { toSend, current } = plan;
	const rememberEnd = () => {
		call.item.state.extendedEnd = toSend.time?.end;
	};
	const request: ServiceRequest = {
		method: 'PATCH',
		path: await call.getPath(),
		action: 'change the rules of the container',
		json: toSend,
		subject: { containerId },
		onUnknownOutcome: rememberEnd,
	};
	const response = await client.requestOptionalObject(request);
	rememberEnd();
	const { rules = {}, problem } = findRules(response);
	await takeBreak();
	if (problem === undefined && findContradiction(toSend, rules) === undefined) {
		return { rules: response ?? { success: true } };
	}
	// The response may show the rules as they were before.
	const reported = await fetchRules(client, containerId);
	const contradiction = findContradiction(toSend, reported);
	if (contradiction === undefined) return { rules: reported };
	const error = client.createError(request, {
		kind: 'unexpected',
		expected: `${contradiction.key} ${quoteJson(contradiction.sent)}`,
		received: `${contradiction.key} ${quoteJson(contradiction.reported)}`,
	});
	return { error, before: current, reported };
}

/**
 * Decides what to send.
 *
 * @returns the current rules alone when the change would change none of them
 */
async function planChange(
	{ item: { state }, client }: Call,
	change: RuleChange,
): Promise<{ toSend: DrmRules; current?: DrmRules } | { toSend?: undefined; current: DrmRules }> {
	const { recipients, extendByDays, keepOtherRules } = change;
	const needsCurrent = changesRecipients(recipients) || extendByDays !== undefined;
	if (!keepOtherRules && !needsCurrent) return { toSend: change.rules };
	const current = await fetchRules(client, change.containerId);
	const rules = applyExtension(state, current, change);
	if (change.isWindowChecked) assertFitsWindow(current, rules, change.endField);
	// There can be many recipients.
	await takeBreak();
	const merged = mergeRules(current, rules, recipients);
	await takeBreak();
	if (isSameRule(merged, mergeRules(current, {}, { add: [], remove: [] }))) return { current };
	assertChangeable(current);
	if (keepOtherRules) return { toSend: merged, current };
	const toSend = changesRecipients(recipients)
		? { ...rules, recipients: merged.recipients }
		: rules;
	return { toSend, current };
}

/** The rules to change. An end that an earlier try extended, even if its response was lost, is not extended again. */
function applyExtension(
	state: ItemState,
	current: DrmRules,
	{ rules, extendByDays, today }: RuleChange,
): DrmRules {
	if (extendByDays === undefined) return rules;
	const { extendedEnd } = state;
	if (extendedEnd !== undefined && isDayAnywhere(current.time?.end, extendedEnd)) {
		return { ...rules, time: { ...rules.time, end: extendedEnd } };
	}
	return extendWindow(current, rules, extendByDays, today);
}

function getChange(item: Item): Change {
	const mode = item.getParameter('specifyRules');
	if (parseChoice(mode, 'Specify Rules', RULE_MODES) === 'json') {
		const rules = parseRulesJson(item.getParameter('rulesJson', ''), item.timeZone);
		if (Object.keys(rules).length === 0) throw noRuleError('Rules (JSON)');
		assertRecipientsNotEmptied(rules, 'Rules (JSON)');
		return { rules, recipients: { add: [], remove: [] }, isWindowChecked: false };
	}
	const fields = item.getParameter('rules', {}) as IDataObject;
	const endField = findEndField(fields);
	const extendByDays =
		endField === 'extendByDays'
			? parseInteger(fields.extendByDays, RULE_LABELS.extendByDays, 1, MAX_DAYS)
			: undefined;
	const rules = parseDrmRules(fields, item.timeZone);
	const recipients = {
		add: parseRecipients(fields.addRecipients, RULE_LABELS.addRecipients),
		remove: parseAddresses(fields.removeRecipients, RULE_LABELS.removeRecipients),
	};
	for (const [name, list] of [
		['recipients', rules.recipients],
		['addRecipients', recipients.add],
	] as const) {
		assertDisjoint(list, recipients.remove, RULE_LABELS[name], RULE_LABELS.removeRecipients);
	}
	const isEmpty =
		Object.keys(rules).length === 0 && !changesRecipients(recipients) && extendByDays === undefined;
	if (isEmpty) throw noRuleError('Rules to Change');
	// Items can have somebody to add or somebody to remove, but a change that names nobody must not be dropped silently.
	for (const field of ['addRecipients', 'removeRecipients'] as const) {
		if (field in fields && !changesRecipients(recipients)) assertNotEmpty([], RULE_LABELS[field]);
	}
	return { rules, recipients, endField, extendByDays, isWindowChecked: true };
}

/**
 * JSON from an expression may hold days as objects, such as `$now`. They are sent as the fields send them. n8n has
 * turned a DateTime into its text by now.
 */
function parseRulesJson(value: unknown, timeZone: string): DrmRules {
	const time = isRecord(value) && isRecord(value.time) && parseDays(value.time, timeZone);
	return parseJsonObject(time ? { ...value, time } : value, 'Rules (JSON)');
}

function parseDays(time: IDataObject, timeZone: string): IDataObject {
	const days = Object.entries(time).map(([key, day]) => {
		const isObject = typeof day === 'object' && day !== null;
		const isDate = isObject || DATE_TIME.test(String(day)) || day === INVALID_DATE_TIME;
		return [key, isDate ? parseDate(day, `Rules (JSON): time.${key}`, timeZone) : day];
	});
	return Object.fromEntries(days) as IDataObject;
}

function noRuleError(label: string): UserError {
	return new UserError(`"${label}" contains no rule`, {
		description: `Add at least one rule to "${label}".`,
	});
}
