import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { isSameRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import { toContainerKey } from '../../../shared/api/records';
import { takeBreak } from '../../../shared/client/delay';
import { getDateInDays, isDayAnywhere, parseServiceDate } from '../../../shared/parameters/dates';
import { parseBoolean, parseOption } from '../../../shared/parameters/scalars';
import type { Operation } from '../../execution/operation';
import { getRecipientPolicy } from '../../parameters/allowedRecipients';
import { assertWindow } from '../../parameters/drmRules';
import type { Guardrails } from '../../parameters/guardrails';
import { assertRulesAllowed, getGuardrails, isEmptyPolicy } from '../../parameters/guardrails';
import { findPasswords } from '../../parameters/passwords';
import type { ChangeResult, RulesCall, RulesChange } from './changeRules';
import { changeItem, changeRules } from './changeRules';
import { findContradiction, findUnshownField } from './contradiction';
import { isSameState } from './recentChanges';
import { changesRecipients, extendEnd, listChangedInPart, mergeRules } from './ruleChanges';
import type { Change } from './updateParameters';
import { parseChange, RULES_JSON_LABEL } from './updateParameters';

interface RuleChange extends Change {
	keepOtherRules: boolean;
	/** The day in the time zone of the workflow, `YYYY-MM-DD`. */
	today: string;
}

/** Changes rules of a container (docs/openapi.yaml, updateDrmRules), also if the service drops omitted ones. */
export const update: Operation<RuleChange & { containerId: string }> = {
	parse(item) {
		const { containerId } = item.getPathParams();
		const options = item.getOptions();
		const change = parseChange(item, getRecipientPolicy(options));
		item.sensitiveValues.push(...findPasswords(change.rules, RULES_JSON_LABEL));
		return {
			containerId,
			...change,
			today: getDateInDays(0, item.timeZone),
			keepOtherRules: parseOption(options, 'keepOtherRules', true, (value) =>
				parseBoolean(value, 'Keep Other Rules'),
			),
		};
	},
	check({ session }, { rules, recipients, today }) {
		const guardrails = getGuardrails(session);
		assertRulesAllowed(rules, guardrails, today);
		assertRulesAllowed({ recipients: recipients.add }, guardrails, today);
	},
	// Two items can change the same container: each must see the changes of the one before.
	getKey: ({ containerId }) => toContainerKey(containerId),
	isRepeatable: ({ extendByDays }) => extendByDays === undefined,
	async send(call, change) {
		const { session } = call;
		return await changeItem(
			call,
			change.containerId,
			async (rulesCall) => await sendChange(rulesCall, change, getGuardrails(session)),
		);
	},
};

/**
 * Changes rules of a container.
 *
 * @param guardrails for the end that an extension leads to
 */
export async function sendChange(
	call: RulesCall,
	change: RuleChange,
	guardrails: Guardrails,
): Promise<ChangeResult> {
	const { rules: entered, recipients, extendByDays, isJson, today } = change;
	// A service that drops the rules that are not sent would drop the end with them.
	const keepsOthers = change.keepOtherRules || !isEmptyPolicy(guardrails);
	const isExtended = extendByDays !== undefined;
	const needs = [
		...(keepsOthers ? listChangedInPart(entered) : []),
		...(changesRecipients(recipients) ? ['recipients'] : []),
		...(isExtended ? ['time'] : []),
	];
	const needsCurrent = keepsOthers || needs.length > 0;
	return await changeRules(call, needsCurrent ? needs : undefined, async (shown, container) => {
		if (shown === undefined) return toChange(entered, entered, isJson);
		const { rules: current, record } = shown;
		// The fields that the service shows beside the rules come along where its rules are entered as they were returned.
		const isUnchangedOther = (key: string) =>
			!RULE_KEYS.includes(key) && isSameRule(entered[key], record[key]);
		const rules: DrmRules = Object.fromEntries(
			Object.entries(entered).filter(([key]) => !isUnchangedOther(key)),
		);
		let extendedEnd: string | undefined;
		if (isExtended) {
			extendedEnd = extendEnd(current, extendByDays, today, container);
			// An end that the item sent before, even if the response was lost, is not moved again.
			const { extendedEnd: sentEnd } = call.sent;
			if (extendedEnd !== undefined && sentEnd !== undefined) {
				const isReached = (parseServiceDate(current.time?.end) ?? '') >= sentEnd;
				const isDone = isReached || isDayAnywhere(current.time?.end, sentEnd);
				extendedEnd = isDone ? undefined : sentEnd;
			}
			if (extendedEnd !== undefined) rules.time = { ...rules.time, end: extendedEnd };
			assertRulesAllowed(rules, guardrails, today);
		}
		// There can be many recipients.
		await takeBreak();
		const merged = mergeRules(current, rules, recipients, container);
		const { endField = 'timeEnd' } = change;
		if (!isJson && rules.time !== undefined) assertWindow(merged.time ?? {}, endField);
		await takeBreak();
		const hasOthers = !Object.keys(rules).every((key) => RULE_KEYS.includes(key));
		if (!hasOthers && isSameState(merged, current)) return undefined;
		const part = changesRecipients(recipients)
			? { ...rules, recipients: merged.recipients }
			: rules;
		const toSend = keepsOthers ? merged : part;
		const sent = extendedEnd === undefined ? {} : { extendedEnd };
		return { ...toChange(toSend, rules, isJson), sent };
	});
}

/** What was entered as JSON must show, since nobody else knows its fields. */
function toChange(toSend: DrmRules, entered: DrmRules, isJson: boolean): RulesChange {
	return {
		toSend,
		findProblem(shown) {
			const fields = { ...shown?.record, ...shown?.rules };
			const unshown = isJson ? findUnshownField(entered, fields) : undefined;
			if (unshown !== undefined || (isJson && shown === undefined)) {
				return new UserError(
					`The service doesn't show "${unshown}" of "${RULES_JSON_LABEL}" as it was sent`,
					{
						description: `The rules might have changed otherwise. Check the name of the field: the documented rules are ${RULE_KEYS.join(', ')}.`,
					},
				);
			}
			return findContradiction(toSend, shown?.rules ?? {});
		},
	};
}
