import { UserError, type IDataObject } from 'n8n-workflow';

import {
	isSameRule,
	parseRules,
	RULE_KEYS,
	type DrmRules,
	type RuleKey,
	type ShownRules,
} from '../../../shared/api/drmRules';
import { covers, isWildcard, overlaps, toAddressKey } from '../../../shared/parameters/addresses';
import { addDays } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled, isRecord } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';
import { assertAllowed, isEmptyPolicy, type Guardrails } from '../../parameters/guardrails';
import type { RulesTask } from './changeRules';
import { NEVER, toWindow, type RulesChange, type RulesPatch } from './ruleChanges';

export const REVOKE_ADVICE = `${NO_RECIPIENTS_NOTICE} To end access for everyone, use the operation Access Rules (DRM) > Revoke Access.`;

/** What the user entered. */
export interface Change {
	/** Null removes a rule, or a part of `time`, `geo` or `ip`; their other parts stay. */
	rules: IDataObject;
	/** Recipients. */
	add: string[];
	remove: string[];
	extendByDays?: number;
	today: string;
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
	const entered = end ? { ...rules, time: toPart(rules.time, { end }) } : rules;
	const after = mergeRules(current, entered);
	if (add.length + remove.length > 0) {
		after.recipients = changeRecipients(after.recipients ?? [], { add, remove }, title);
	}
	if (isLater(after, current)) {
		const { time, recipients, downloadable } = after;
		assertAllowed('rules', { time, recipients, downloadable } as IDataObject, guardrails, today);
	}
	const [before, wanted] = [{ ...record, ...current }, after] as IDataObject[];
	const changed = Object.entries(wanted).filter(([key, value]) => !isSameRule(value, before[key]));
	if (changed.length === 0) return undefined;
	const patch = Object.fromEntries(changed) as IDataObject;
	const isStartEntered = isRecord(entered.time) && 'start' in entered.time;
	if (isRecord(patch.time) && !isStartEntered) patch.time = toWindow(patch.time, today);
	const isReplacement = 'recipients' in rules;
	return { patch: patch as RulesPatch, isReplacement, isExtension: Boolean(end) };
}

/** All rules after a change, null for one that is removed. */
function mergeRules(current: DrmRules, entered: IDataObject): RulesPatch {
	const merged = listParts(entered).map((key) => {
		const parts = Object.entries(toPart(current[key], entered[key] as IDataObject));
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
function isLater(after: RulesPatch, current: DrmRules): boolean {
	if (isSameRule(after.time, current.time)) return false;
	const { time } = parseRules({ time: after.time }).rules;
	return (time?.end ?? NEVER) > (current.time?.end ?? NEVER);
}

/** The current end moved later, from today where it is over; undefined without an end. */
export function extendEnd({ time }: DrmRules, days: number, today: string): string | undefined {
	const { end = NEVER } = time ?? {};
	if (end >= NEVER) return undefined;
	return addDays(end < today ? today : end, days);
}

/**
 * Adds and removes recipients, in any form of their addresses. A wildcard that is removed takes along everybody whom it
 * covers, apart from those who are added.
 *
 * @throws UserError where nobody would be left, or somebody who is removed would still have access
 */
export function changeRecipients(
	current: string[],
	{ add, remove }: Pick<Change, 'add' | 'remove'>,
	container: string,
): string[] {
	const isRemoved = covers(remove);
	const kept = current.filter((entry) => !isRemoved(entry));
	const known = new Set(kept.map(toAddressKey));
	const list = [...kept, ...add.filter((entry) => !known.has(toAddressKey(entry)))];
	const label = RULE_LABELS;
	if (list.length === 0) {
		const message = `"${label.removeRecipients}" would remove all recipients of ${container}`;
		throw new UserError(message, { description: `Nothing was changed. ${REVOKE_ADVICE}` });
	}
	const wildcards = list.filter(isWildcard);
	for (const removed of remove) {
		const found = wildcards.find((entry) => overlaps(entry, removed));
		if (found === undefined) continue;
		const wildcard = shorten(found);
		const message = `"${removed}" would still have access through the recipient "${wildcard}"`;
		throw new UserError(message, {
			description: `Nothing was changed. Enter "${wildcard}" in "${label.removeRecipients}" too, and everyone who keeps access in "${label.addRecipients}"; or set all with "${label.recipients}". It is a recipient of ${container}.`,
		});
	}
	return list;
}
