import type { IDataObject } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { parseRules } from '../../../shared/api/drmRules';
import { isSameRule, RULE_KEYS, type RuleKey } from '../../../shared/api/ruleValues';
import { covers, toAddressKey } from '../../../shared/parameters/addresses';
import { isFilled, isRecord } from '../../../shared/responses/shapes';
import type { Guardrails } from '../../parameters/guardrails';
import { assertRulesAllowed, isEmptyPolicy } from '../../parameters/guardrails';
import type { RulesTask } from './changeRules';
import { changeRecipients, extendEnd, NEVER, toWindow } from './ruleChanges';
import type { RecipientChange, RulesChange, RulesPatch } from './ruleChanges';

/** What the user entered. */
export interface Change {
	/** Null removes a rule, or a part of `time`, `geo` or `ip`; their other parts stay. */
	rules: IDataObject;
	recipients: RecipientChange;
	extendByDays?: number;
	today: string;
}

/** What an update needs to know of the current rules, and what it sends, which must keep to the guardrails. */
export function planUpdate(change: Change, guardrails: Guardrails): RulesTask {
	const { rules, recipients, extendByDays } = change;
	const needs = listParts(rules);
	if (extendByDays !== undefined) needs.push('time');
	if (recipients.add.length + recipients.remove.length > 0) needs.push('recipients');
	// Whoever gets access for longer must be allowed.
	const isGuarded = needs.includes('time') && !isEmptyPolicy(guardrails);
	if (isGuarded) needs.push('recipients', 'downloadable');
	return {
		needs,
		decide: (shown, container) => decideUpdate(change, guardrails, shown, container),
	};
}

function decideUpdate(
	{ rules, recipients, extendByDays, today }: Change,
	guardrails: Guardrails,
	{ rules: current, record }: ShownRules,
	container: string,
): RulesChange | undefined {
	const end = extendByDays && extendEnd(current, extendByDays, today);
	const entered = end ? { ...rules, time: toPart(rules.time, { end }) } : rules;
	const after = mergeRules(current, entered);
	const { add, remove } = recipients;
	if (add.length + remove.length > 0) {
		const list = (after.recipients ?? []) as string[];
		after.recipients = changeRecipients(list, recipients, container);
	}
	if (isLater(after, current)) {
		const { time, recipients: people, downloadable } = after;
		assertRulesAllowed({ time, recipients: people, downloadable }, guardrails, today);
	}
	const before: IDataObject = { ...record, ...current };
	const changed = Object.keys(after).filter((key) => !isSameRule(after[key], before[key]));
	if (changed.length === 0) return undefined;
	const patch: IDataObject = Object.fromEntries(changed.map((key) => [key, after[key]]));
	const isStartEntered = isRecord(entered.time) && 'start' in entered.time;
	if (isRecord(patch.time) && !isStartEntered) patch.time = toWindow(patch.time, today);
	const left = new Set(((after.recipients ?? []) as string[]).map(toAddressKey));
	const removed = (current.recipients ?? [])
		.filter(covers(remove))
		.filter((entry) => !left.has(toAddressKey(entry)));
	return { patch: patch as RulesPatch, removed, isExtension: Boolean(end) };
}

/** All rules after a change, null for one that is removed. */
function mergeRules(current: DrmRules, entered: IDataObject): IDataObject {
	const merged = listParts(entered).map((key) => {
		const { [key]: before } = current as IDataObject;
		const parts = Object.entries(toPart(before, entered[key] as IDataObject));
		const left = Object.fromEntries(parts.filter(([, part]) => part !== null));
		return [key, isFilled(left) ? left : null] as const;
	});
	return { ...current, ...entered, ...Object.fromEntries(merged) };
}

/** The rules that are entered in part: the current ones must be understood. */
function listParts(rules: IDataObject): RuleKey[] {
	return RULE_KEYS.filter((key) => isRecord(rules[key]) && isFilled(rules[key]));
}

function toPart(rule: unknown, parts: IDataObject): IDataObject {
	return { ...(isRecord(rule) ? rule : {}), ...parts };
}

/** An end that can't be understood can be any. */
function isLater(after: IDataObject, current: DrmRules): boolean {
	if (isSameRule(after.time, current.time)) return false;
	const { time } = parseRules({ time: after.time }).rules;
	return (time?.end ?? NEVER) > (current.time?.end ?? NEVER);
}
