import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { findRules } from '../../../shared/api/drmRules';
import { isSameRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import type { ServiceRequest } from '../../../shared/client/client';
import { buildPath } from '../../../shared/client/path';
import { takeBreak } from '../../../shared/client/takeBreak';
import { getDateInDays, isDayAnywhere } from '../../../shared/parameters/dates';
import { parseBoolean, parseOption } from '../../../shared/parameters/scalars';
import type { Operation } from '../../execution/operation';
import { getRecipientPolicy } from '../../parameters/allowedRecipients';
import { findPasswords } from '../../parameters/passwords';
import type { RuleChangeResult } from './changeRules';
import { changeRulesInOrder } from './changeRules';
import { findContradiction, findFieldNotShown, quoteJson } from './contradiction';
import type { RulesCall } from './recentChanges';
import {
	describeContainer,
	isSameState,
	readChangedRules,
	readCurrentRules,
	rememberChange,
} from './recentChanges';
import {
	assertChangeable,
	assertFitsWindow,
	changesRecipients,
	extendWindow,
	listChangedInPart,
	mergeRules,
} from './ruleChanges';
import type { Change } from './updateParameters';
import { parseChange, RULES_JSON_LABEL } from './updateParameters';

interface RuleChange extends Change {
	containerId: string;
	keepOtherRules: boolean;
	/** The day in the time zone of the workflow, `YYYY-MM-DD`. */
	today: string;
}

/** Changes rules of a container (docs/openapi.yaml, updateDrmRules), also if the service drops omitted ones. */
export const update: Operation<RuleChange> = {
	prepare(item) {
		const { containerId } = item.getPathParams();
		const { context } = item;
		const options = item.getOptions();
		const change = parseChange(
			(name, fallback) => context.getNodeParameter(name, fallback),
			context.getNode().parameters,
			getRecipientPolicy(options),
			context.getTimezone(),
		);
		item.sensitiveValues.push(...findPasswords(change.rules, RULES_JSON_LABEL));
		return {
			containerId,
			...change,
			today: getDateInDays(0, context.getTimezone()),
			keepOtherRules: parseOption(options, 'keepOtherRules', true, (value) =>
				parseBoolean(value, 'Keep Other Rules'),
			),
		};
	},
	async send(operation, change) {
		// Two items can change the same container: each must see the changes of the one before.
		return await changeRulesInOrder(
			operation,
			change.containerId,
			async (call) => await sendChange(call, change, operation.item.state),
			change.extendByDays === undefined,
		);
	},
};

/**
 * Changes rules of a container.
 *
 * @param tries what earlier tries of the same item did
 * @returns what the service shows of the rules, or `success` where it shows nothing
 */
export async function sendChange(
	call: RulesCall,
	change: Omit<RuleChange, 'containerId'>,
	tries: { extendedEnd?: string },
): Promise<RuleChangeResult> {
	const { client, containerId } = call;
	const plan = await planChange(call, change, tries);
	const { toSend, current } = plan;
	if (toSend === undefined) return { rules: current, changed: false };
	const rememberEnd = () => {
		tries.extendedEnd = toSend.time?.end;
	};
	const request: ServiceRequest = {
		method: 'PATCH',
		path: buildPath(['containers', containerId, 'drm']),
		action: 'change the rules of the container',
		json: toSend,
		subject: { containerId },
		onUnknownOutcome: rememberEnd,
	};
	const response = await client.requestOptionalObject(request);
	rememberEnd();
	await takeBreak();
	const returned = findRules(response);
	/** What was entered as JSON must show, since nobody else knows its fields. */
	const findNotShown = (shown: ShownRules) =>
		change.isJson
			? findFieldNotShown(plan.entered, { ...shown.record, ...shown.rules })
			: undefined;
	const isCertain =
		returned.rules === undefined
			? returned.problem === undefined && !change.isJson
			: findNotShown(returned) === undefined &&
				findContradiction(toSend, returned.rules) === undefined;
	rememberChange(call, current, toSend, isCertain ? returned.rules : undefined);
	if (isCertain) return { rules: response ?? { success: true }, changed: true };
	// The response may show the rules as they were before.
	const reported = await readChangedRules(call, current);
	rememberChange(call, current, toSend, reported.rules);
	const notShown = findNotShown(reported);
	if (notShown !== undefined) {
		return { error: notShownError(call, notShown), before: current, reported: reported.rules };
	}
	const contradiction = findContradiction(toSend, reported.rules);
	if (contradiction === undefined) return { rules: reported.rules, changed: true };
	const error = client.createError(request, {
		kind: 'unexpected',
		expected: `${contradiction.key} ${quoteJson(contradiction.sent)}`,
		received: `${contradiction.key} ${quoteJson(contradiction.reported)}`,
	});
	return { error, before: current, reported: reported.rules };
}

type Plan = { entered: DrmRules } & (
	{ toSend: DrmRules; current?: DrmRules } | { toSend?: undefined; current: DrmRules }
);

/**
 * Decides what to send.
 *
 * @returns the current rules alone when the change would change none of them
 */
async function planChange(
	call: RulesCall,
	change: Omit<RuleChange, 'containerId'>,
	tries: { extendedEnd?: string },
): Promise<Plan> {
	const { recipients, extendByDays, keepOtherRules } = change;
	const needsCurrent = changesRecipients(recipients) || extendByDays !== undefined;
	if (!keepOtherRules && !needsCurrent) return { entered: change.rules, toSend: change.rules };
	const needs = listChangedInPart(keepOtherRules ? change.rules : {}, recipients);
	const { rules: current, record } = await readCurrentRules(
		call,
		extendByDays === undefined ? needs : [...needs, 'time'],
	);
	const container = describeContainer(call);
	const entered = omitUnchangedOthers(change.rules, record);
	const rules = applyExtension({ ...change, rules: entered }, current, tries, container);
	if (!change.isJson) assertFitsWindow(current, rules, change.endField);
	// There can be many recipients.
	await takeBreak();
	const merged = mergeRules(current, rules, recipients, container);
	await takeBreak();
	if (Object.keys(rules).every((key) => RULE_KEYS.includes(key)) && isSameState(merged, current)) {
		return { entered, current };
	}
	assertChangeable(current, container);
	if (keepOtherRules) return { entered, toSend: merged, current };
	const toSend = changesRecipients(recipients)
		? { ...rules, recipients: merged.recipients }
		: rules;
	return { entered, toSend, current };
}

/** The fields that the service shows beside the rules come along where its rules are entered as they were returned. */
function omitUnchangedOthers(rules: DrmRules, record: IDataObject): DrmRules {
	return Object.fromEntries(
		Object.entries(rules).filter(
			([key, value]) => RULE_KEYS.includes(key) || !isSameRule(value, record[key]),
		),
	);
}

/** The rules to change. An end that an earlier try extended, even if its response was lost, is not extended again. */
function applyExtension(
	{ rules, extendByDays, today }: Pick<RuleChange, 'rules' | 'extendByDays' | 'today'>,
	current: DrmRules,
	{ extendedEnd }: { extendedEnd?: string },
	container: string,
): DrmRules {
	if (extendByDays === undefined) return rules;
	if (extendedEnd !== undefined && isDayAnywhere(current.time?.end, extendedEnd)) {
		return { ...rules, time: { ...rules.time, end: extendedEnd } };
	}
	return extendWindow(current, rules, extendByDays, today, container);
}

function notShownError(call: RulesCall, field: string): UserError {
	const { client } = call;
	return new UserError(
		`The service doesn't show "${client.redactLine(field)}" of "${RULES_JSON_LABEL}" as it was sent`,
		{
			description: `The rules of ${describeContainer(call)} might have changed otherwise. Check the name of the field: the documented rules are ${RULE_KEYS.join(', ')}.`,
		},
	);
}
