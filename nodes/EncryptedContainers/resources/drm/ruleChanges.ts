import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { isSet, parseRule } from '../../../shared/api/ruleValues';
import { covers, isWildcard, overlaps, toAddressKey } from '../../../shared/parameters/addresses';
import { addDays, isNoDate, parseServiceDate } from '../../../shared/parameters/dates';
import { isRecord } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';

/** Programs write a day such as 9999-12-31 for "no end". */
const NEVER = '9000-01-01';
const LAST_DAY = '9999-12-31';

export const REVOKE_ADVICE = `${NO_RECIPIENTS_NOTICE} To end access for everyone, use the operation DRM > Revoke Access.`;

/** Addresses to add to and remove from the current recipients. */
export interface RecipientChange {
	add: string[];
	remove: string[];
}

export function changesRecipients({ add, remove }: RecipientChange): boolean {
	return add.length + remove.length > 0;
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
 *
 * @param container for messages
 * @throws UserError when no recipient would remain
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
	if (changesRecipients(recipients)) {
		merged.recipients = changeRecipients(merged.recipients ?? [], recipients, container);
	}
	return merged;
}

function withoutUnset(rule: unknown): IDataObject {
	const parts = Object.entries((rule ?? {}) as IDataObject).filter(([, value]) => isSet(value));
	return Object.fromEntries(parts);
}

/**
 * The current end moved a number of days later, from today where it is over already; undefined where there is no end.
 *
 * @param today as `YYYY-MM-DD`
 * @param container for messages
 * @throws UserError when the current end is not a date that can be read
 */
export function extendEnd(
	current: DrmRules,
	days: number,
	today: string,
	container: string,
): string | undefined {
	const end: unknown = current.time?.end;
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
 * @param container for messages
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
	if (list.length === 0) throw noRecipientLeftError(current, container);
	const wildcards = list.filter((entry) => isWildcard(entry) || !/[^@]@/.test(entry));
	for (const removed of remove) {
		const wildcard = wildcards.find((entry) => overlaps(entry, removed));
		if (wildcard === undefined) continue;
		throw new UserError(
			`"${removed}" would still have access through the recipient "${wildcard}"`,
			{
				description: `Nothing was changed. Enter "${wildcard}" in "${RULE_LABELS.removeRecipients}" too, and everyone who keeps access in "${RULE_LABELS.addRecipients}"; or set all with "${RULE_LABELS.recipients}". It is a recipient of ${container}.`,
			},
		);
	}
	return list;
}

function noRecipientLeftError(current: string[], container: string): UserError {
	const message =
		current.length === 1
			? `${current[0]} is the only recipient of ${container}`
			: `"${RULE_LABELS.removeRecipients}" would remove all recipients of ${container}`;
	return new UserError(message, {
		description: `Nothing was changed. ${REVOKE_ADVICE} To replace a recipient, use "${RULE_LABELS.addRecipients}" too.`,
	});
}

/** The rules with the access window ended on a day, `YYYY-MM-DD`. A later start is moved to that day. */
export function endWindow(current: DrmRules, lastDay: string): DrmRules {
	const time = withoutUnset(current.time) as NonNullable<DrmRules['time']>;
	// A start that can't be read might be in the future.
	const isStartKept = (parseServiceDate(time.start) ?? LAST_DAY) <= lastDay;
	if (time.start !== undefined && !isStartKept) time.start = lastDay;
	return { ...current, time: { ...time, end: lastDay } };
}

/** Whether the rules have an access window that ended on the day, `YYYY-MM-DD`, or before. */
export function hasEnded(rules: DrmRules, lastDay: string): boolean {
	return (parseServiceDate(rules.time?.end) ?? LAST_DAY) <= lastDay;
}

/**
 * @param container for messages
 * @returns an error where the service can't change the rules (`dynamic` is false)
 */
export function findFixed({ dynamic }: DrmRules, container: string): UserError | undefined {
	if (parseRule('dynamic', dynamic) !== false) return undefined;
	return new UserError(
		`The rules of ${container} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`,
		{
			description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
		},
	);
}
