import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { isSameRule, isSet, parseRule } from '../../../shared/api/ruleValues';
import { covers, isWildcard, overlaps, toAddressKey } from '../../../shared/parameters/addresses';
import {
	addDays,
	getLastDayOverEverywhere,
	isDayAnywhere,
	isNoDate,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isRecord } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';
import type { SentChange } from '../../execution/memory';
import type { Contradiction } from './contradiction';
import { findContradiction, findUnshownField } from './contradiction';

/** Programs write a day such as 9999-12-31 for "no end". */
const NEVER = '9000-01-01';
const LAST_DAY = '9999-12-31';

export const REVOKE_ADVICE = `${NO_RECIPIENTS_NOTICE} To end access for everyone, use the operation DRM > Revoke Access.`;

/** What to send, and how to know that it was done. */
export interface RulesChange {
	toSend: DrmRules;
	/** What the request does, for messages. */
	action?: string;
	/** What to know of the change when the service might have it. */
	sent?: SentChange;
	/**
	 * @param shown undefined where the response shows no rules
	 * @param isResponse whether it is the response to the change, which can show less than a read does
	 */
	findProblem(shown: ShownRules | undefined, isResponse: boolean): Contradiction | undefined;
}

/** Addresses to add to and remove from the current recipients. */
export interface RecipientChange {
	add: string[];
	remove: string[];
}

/** A change of rules. @param changed what must show; without it, what doesn't show proves nothing */
export function planChange(toSend: DrmRules, changed?: DrmRules): RulesChange {
	return {
		toSend,
		findProblem(shown) {
			const { rules = {}, record } = shown ?? {};
			const unshown = changed && findUnshownField(changed, { ...record, ...rules });
			if (unshown === undefined && (shown !== undefined || changed === undefined)) {
				return findContradiction(toSend, rules);
			}
			return { expected: `"${unshown}" as it was sent`, received: 'other rules' };
		},
	};
}

/** Ends access on the last day that is over everywhere; undefined where it has ended. */
export function planEnd(current?: ShownRules): RulesChange | undefined {
	const lastDay = getLastDayOverEverywhere();
	const { rules: before = {} } = current ?? {};
	if (hasEnded(before, lastDay)) return undefined;
	const toSend = endWindow(before, lastDay);
	return {
		toSend,
		action: 'end access to the container',
		findProblem(shown, isResponse) {
			const { rules = {} } = shown ?? {};
			const end = getEnd(rules);
			const isWhole = !isResponse || Object.keys(toSend).every((key) => key in rules);
			// A moment that was stored for the last day may show as the next one, in UTC. One that did not move proves nothing.
			const isMoved = isDayAnywhere(end, lastDay) && !isSameRule(end, getEnd(before));
			if (isWhole && (isMoved || hasEnded(rules, lastDay))) return undefined;
			const received = isSet(end)
				? `rules with the end ${JSON.stringify(end)}`
				: 'rules without an end';
			return { expected: `rules that end access on ${lastDay}`, received };
		},
	};
}

/** The rules with the access window ended on a day, `YYYY-MM-DD`. A later start is moved to that day. */
export function endWindow(current: DrmRules, lastDay: string): DrmRules {
	const { start, ...time } = withoutUnset(current.time);
	// A start that can't be read might be in the future.
	const isKept = (parseServiceDate(start) ?? LAST_DAY) <= lastDay;
	const kept = start === undefined ? {} : { start: isKept ? start : lastDay };
	return { ...current, time: { ...time, ...kept, end: lastDay } as DrmRules['time'] };
}

/** Whether the rules have an access window that ended on the day, `YYYY-MM-DD`, or before. */
export function hasEnded(rules: DrmRules, lastDay = getLastDayOverEverywhere()): boolean {
	return (parseServiceDate(getEnd(rules)) ?? LAST_DAY) <= lastDay;
}

function getEnd({ time }: DrmRules): unknown {
	return (time as IDataObject | null | undefined)?.end;
}

/** The rules that a change has in part: the current ones must be understood. It replaces the others. */
export function listChangedInPart(rules: DrmRules): string[] {
	return ['geo', 'ip', 'time'].filter((key) => {
		const rule = rules[key];
		return isRecord(rule) && Object.keys(rule).length > 0;
	});
}

/**
 * Applies a change to the current rules and returns all of them. A list in the change replaces the current one, an empty
 * object or null (from JSON) clears a rule.
 */
export function mergeRules(
	current: DrmRules,
	change: DrmRules,
	recipients: RecipientChange,
	container: string,
): DrmRules {
	const merged: DrmRules = { ...current, ...change };
	for (const key of listChangedInPart(change)) {
		merged[key] = { ...withoutUnset(current[key]), ...(change[key] as IDataObject) };
	}
	if (recipients.add.length + recipients.remove.length > 0) {
		merged.recipients = changeRecipients(merged.recipients ?? [], recipients, container);
	}
	return merged;
}

/** Without what is null or empty; nothing of a rule in a form of its own. */
function withoutUnset(rule: unknown): IDataObject {
	const parts = Object.entries(isRecord(rule) ? rule : {}).filter(([, value]) => isSet(value));
	return Object.fromEntries(parts) as IDataObject;
}

/**
 * The current end moved a number of days later, from today where it is over already; undefined where there is no end.
 *
 * @throws UserError when the current end is not a date that can be read
 */
export function extendEnd(
	current: DrmRules,
	days: number,
	today: string,
	container: string,
): string | undefined {
	const end = getEnd(current);
	const day = parseServiceDate(end);
	if (isNoDate(end) || (day ?? '') >= NEVER) return undefined;
	if (day !== undefined) return addDays(day < today ? today : day, days);
	throw new UserError(`The current end of ${container} is not a date that can be read`, {
		description: `The service shows ${JSON.stringify(end).slice(0, 100)}. Set the new end with "${RULE_LABELS.timeEnd}" instead of "${RULE_LABELS.extendByDays}".`,
	});
}

/**
 * Adds and removes recipients, in any form of their addresses. A wildcard that is removed takes along everybody whom it
 * covers, apart from those who are added.
 *
 * @throws UserError when none would remain: the meaning of an empty list is unknown, so the node never sends it
 */
export function changeRecipients(
	current: string[],
	{ add, remove }: RecipientChange,
	container: string,
): string[] {
	const isRemoved = covers(remove);
	const kept = current.filter((entry) => !isRemoved(entry));
	const added = new Map(add.map((address) => [toAddressKey(address), address]));
	for (const entry of kept) added.delete(toAddressKey(entry));
	const list = [...kept, ...added.values()];
	if (list.length === 0) {
		const message =
			current.length === 1
				? `${shorten(current[0])} is the only recipient of ${container}`
				: `"${RULE_LABELS.removeRecipients}" would remove all recipients of ${container}`;
		throw new UserError(message, { description: `Nothing was changed. ${REVOKE_ADVICE}` });
	}
	const wildcards = list.filter((entry) => isWildcard(entry) || !/[^@]@/.test(entry));
	for (const removed of remove) {
		const found = wildcards.find((entry) => overlaps(entry, removed));
		if (found === undefined) continue;
		const wildcard = shorten(found);
		throw new UserError(
			`"${removed}" would still have access through the recipient "${wildcard}"`,
			{
				description: `Nothing was changed. Enter "${wildcard}" in "${RULE_LABELS.removeRecipients}" too, and everyone who keeps access in "${RULE_LABELS.addRecipients}"; or set all with "${RULE_LABELS.recipients}". It is a recipient of ${container}.`,
			},
		);
	}
	return list;
}

/** An error where the service can't change the rules (`dynamic` is false). */
export function findFixed({ dynamic }: DrmRules, container: string): UserError | undefined {
	if (parseRule('dynamic', dynamic) !== false) return undefined;
	return new UserError(
		`The rules of ${container} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`,
		{
			description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
		},
	);
}
