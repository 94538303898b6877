import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { isSet, parseRule } from '../../../shared/api/ruleValues';
import { covers, isWildcard, overlaps, toAddressKey } from '../../../shared/parameters/addresses';
import {
	addDays,
	getLastDayOverEverywhere,
	isDayAnywhere,
	isMomentOver,
	isNoDate,
	parseServiceDate,
} from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled, isRecord } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';

/** Programs write a day such as 9999-12-31 for "no end". */
export const NEVER = '9000-01-01';

export const REVOKE_ADVICE = `${NO_RECIPIENTS_NOTICE} To end access for everyone, use the operation DRM > Revoke Access.`;

/** A change of the rules of a container: decided, sent, checked, and remembered for later tries of its item. */
export interface RulesChange {
	/** The rules to send; undefined where nothing changes. */
	toSend?: DrmRules;
	/** Those of them that must show. Of the others, what doesn't show proves nothing. */
	entered?: DrmRules;
	/** The day on which access ends, if that is what the change is for: the end must show. */
	lastDay?: string;
	extendedEnd?: string;
	output?: IDataObject;
}

export type RecipientChange = Record<'add' | 'remove', string[]>;

/** Sets rules, which must show, and keeps the others. */
export function changeTo(current: DrmRules, entered: DrmRules): RulesChange {
	return { toSend: mergeRules(current, entered), entered };
}

/**
 * Ends access on the last day that is over everywhere; nothing where it has ended. An end that a service shows as a moment
 * of that day might be over or not: then on the day before, so that it moves.
 */
export function endAccess(current: DrmRules): RulesChange {
	const last = getLastDayOverEverywhere();
	if (hasEnded(current, last)) return {};
	const lastDay = isDayAnywhere(current.time?.end, last) ? addDays(last, -1) : last;
	return { toSend: endWindow(current, lastDay), lastDay };
}

/** The rules with the access window ended on a day, `YYYY-MM-DD`. A later start is moved to that day. */
export function endWindow(current: DrmRules, lastDay: string): DrmRules {
	const { start } = withoutUnset(current.time);
	// A start that can't be read might be in the future.
	const isKept = start === undefined || (parseServiceDate(start) ?? NEVER) <= lastDay;
	const time = isKept ? { end: lastDay } : { start: lastDay, end: lastDay };
	return mergeRules(current, { time });
}

/** Whether the rules have an access window that ended on the day, `YYYY-MM-DD`, or before, or at a moment that is over. */
export function hasEnded(rules: DrmRules, lastDay = getLastDayOverEverywhere()): boolean {
	const end = rules.time?.end;
	const day = parseServiceDate(end);
	return day !== undefined && (day <= lastDay || isMomentOver(end));
}

/** The rules that a change has in part: the current ones must be understood. It replaces the others. */
export function listChangedInPart(rules: DrmRules): string[] {
	return ['geo', 'ip', 'time'].filter((key) => isRecord(rules[key]) && isFilled(rules[key]));
}

/** All rules after a change: a list in it replaces the current one, an empty object or null (from JSON) clears a rule. */
export function mergeRules(
	current: DrmRules,
	change: DrmRules,
	recipients: RecipientChange = { add: [], remove: [] },
	container = '',
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

/** The current end moved later, from today where it is over; undefined without an end, or where `sent` moved it before. */
export function extendEnd(
	current: DrmRules,
	days: number,
	today: string,
	container: string,
	sent?: string,
): string | undefined {
	const end = current.time?.end;
	const day = parseServiceDate(end);
	if (isNoDate(end) || (day ?? '') >= NEVER) return undefined;
	if (day === undefined) {
		throw new UserError(`The current end of ${container} is not a date that can be read`, {
			description: `The service shows ${JSON.stringify(end).slice(0, 100)}. Set the new end with "${RULE_LABELS.timeEnd}" instead of "${RULE_LABELS.extendByDays}".`,
		});
	}
	if (sent === undefined) return addDays(day < today ? today : day, days);
	return day >= sent || isDayAnywhere(end, sent) ? undefined : sent;
}

/**
 * Adds and removes recipients, in any form of their addresses. A wildcard that is removed takes along everybody whom it
 * covers, apart from those who are added. The meaning of an empty list is unknown, so the node never sends it.
 */
export function changeRecipients(
	current: string[],
	{ add, remove }: RecipientChange,
	container: string,
): string[] {
	const isRemoved = covers(remove);
	const kept = current.filter((entry) => !isRemoved(entry));
	const known = new Set(kept.map(toAddressKey));
	const list = [...kept, ...add.filter((entry) => !known.has(toAddressKey(entry)))];
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
		const message = `"${removed}" would still have access through the recipient "${wildcard}"`;
		throw new UserError(message, {
			description: `Nothing was changed. Enter "${wildcard}" in "${RULE_LABELS.removeRecipients}" too, and everyone who keeps access in "${RULE_LABELS.addRecipients}"; or set all with "${RULE_LABELS.recipients}". It is a recipient of ${container}.`,
		});
	}
	return list;
}

/** An error where the service can't change the rules (`dynamic` is false). */
export function findFixed({ dynamic }: DrmRules, container: string): UserError | undefined {
	if (parseRule('dynamic', dynamic) !== false) return undefined;
	const message = `The rules of ${container} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`;
	return new UserError(message, {
		description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
	});
}
