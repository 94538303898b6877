import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { normalizeWindow } from '../../../shared/api/ruleValues';
import { addDays, isNoDate, parseServiceDate } from '../../../shared/parameters/dates';
import { matchesWildcards } from '../../../shared/parameters/wildcards';
import { isRecord } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';
import type { EndField } from '../../parameters/drmRules';
import { assertWindow } from '../../parameters/drmRules';

/** Programs write a day such as 9999-12-31 for "no end". */
const NEVER = '9000-01-01';
const LAST_DAY = '9999-12-31';

/** Addresses to add to and remove from the current recipients. */
export interface RecipientChange {
	add: string[];
	remove: string[];
}

export function changesRecipients({ add, remove }: RecipientChange): boolean {
	return add.length > 0 || remove.length > 0;
}

/**
 * Applies a change to the current rules and returns all of them. A list in the change replaces the current one.
 *
 * @throws UserError when no recipient would remain
 */
export function mergeRules(
	current: DrmRules,
	change: DrmRules,
	recipients: RecipientChange,
): DrmRules {
	const merged: DrmRules = { ...current, ...change };
	// A rule that is null, which JSON can contain, is sent as null: it removes the rule.
	if (isRecord(merged.geo)) merged.geo = { ...current.geo, ...change.geo };
	if (isRecord(merged.ip)) merged.ip = { ...current.ip, ...change.ip };
	if (isRecord(merged.time)) merged.time = { ...normalizeWindow(current.time), ...change.time };
	const changed = changeRecipients(merged.recipients, recipients);
	if (changed !== undefined) merged.recipients = changed;
	return merged;
}

/**
 * Checks the days of a change together with the day that the container has.
 *
 * @param endField the field that the end comes from
 * @throws UserError when access would end before it starts
 */
export function assertFitsWindow(
	current: DrmRules,
	{ time = {} }: DrmRules,
	endField: EndField = 'timeEnd',
): void {
	if (time.start !== undefined && time.end !== undefined) return assertWindow(time, endField);
	const window = normalizeWindow(current.time);
	// Empty text sorts before any day.
	const start = parseServiceDate(window.start) ?? '';
	const end = parseServiceDate(window.end) ?? LAST_DAY;
	const { start: newStart = '', end: newEnd = LAST_DAY } = time;
	const [startLabel, endLabel] = [RULE_LABELS.timeStart, RULE_LABELS[endField]];
	if (newStart > end) {
		throw new UserError(
			`"${startLabel}" is ${newStart}, but the container's current end date is ${end}`,
			{
				description: `Pick an earlier day in "${startLabel}", or add "${RULE_LABELS.timeEnd}" with a later one.`,
			},
		);
	}
	if (newEnd < start) {
		throw new UserError(
			`"${endLabel}" ends access on ${newEnd}, but the container's current start date is ${start}`,
			{
				description: `End access on ${start} or later, or add "${startLabel}" with an earlier day.`,
			},
		);
	}
}

/**
 * Moves the current end a number of days later, from today where it is over already. Without an end, nothing changes.
 *
 * @param today as `YYYY-MM-DD`
 * @throws UserError when the current end is not a date that can be read
 */
export function extendWindow(
	current: DrmRules,
	change: DrmRules,
	days: number,
	today: string,
): DrmRules {
	const end: unknown = current.time?.end;
	const day = parseServiceDate(end);
	if (isNoDate(end) || (day ?? '') >= NEVER) return change;
	if (day === undefined) {
		throw new UserError("The container's current end is not a date that can be read", {
			description: `The service shows ${JSON.stringify(end).slice(0, 100)}. Set the new end with "${RULE_LABELS.timeEnd}" instead of "${RULE_LABELS.extendByDays}".`,
		});
	}
	return { ...change, time: { ...change.time, end: addDays(day < today ? today : day, days) } };
}

/**
 * Adds and removes recipients, upper and lower case alike; undefined if there is nothing to add or remove.
 *
 * @throws UserError when none would remain: the meaning of an empty list is unknown, so the node never sends it
 */
export function changeRecipients(
	current: string[] | undefined,
	change: RecipientChange,
): string[] | undefined {
	if (!changesRecipients(change)) return undefined;
	const { add, remove } = change;
	const removed = new Set(remove.map((address) => address.toLowerCase()));
	const kept = (current ?? []).filter((address) => !removed.has(String(address).toLowerCase()));
	const known = new Set(kept.map((address) => String(address).toLowerCase()));
	const list = [...kept, ...add.filter((address) => !known.has(address.toLowerCase()))];
	if (list.length === 0) throw noRecipientLeftError(RULE_LABELS.removeRecipients);
	const wildcards = list.filter((entry) => entry.includes('*'));
	for (const address of removed) assertNotCovered(address, wildcards);
	return list;
}

/** @throws UserError when a wildcard still lets a removed recipient in */
function assertNotCovered(removed: string, wildcards: string[]): void {
	const wildcard = wildcards.find((entry) => matchesWildcards(removed, entry.toLowerCase()));
	if (wildcard === undefined) return;
	throw new UserError(`"${removed}" would still have access through the recipient "${wildcard}"`, {
		description: `Nothing was changed. Enter "${wildcard}" in "${RULE_LABELS.removeRecipients}" too, and everyone who keeps access in "${RULE_LABELS.addRecipients}".`,
	});
}

/** @throws UserError when rules in the format of the service contain no recipient in place of the list */
export function assertRecipientsNotEmptied({ recipients }: IDataObject, label: string): void {
	if (recipients === undefined) return;
	const entries: unknown[] = Array.isArray(recipients) ? recipients : [recipients];
	const isBlank = (entry: unknown) => String(entry ?? '').trim() === '';
	if (entries.every(isBlank)) throw noRecipientLeftError(label);
}

function noRecipientLeftError(label: string): UserError {
	return new UserError(`"${label}" would remove all recipients`, {
		description: `${NO_RECIPIENTS_NOTICE} To end access for everyone, use the operation DRM > Revoke Access.`,
	});
}

/** The rules with the access window ended on a day, `YYYY-MM-DD`. A later start is moved to that day. */
export function endWindow(current: DrmRules, lastDay: string): DrmRules {
	const time = normalizeWindow(current.time);
	// A start that can't be read might be in the future.
	const isStartKept = (parseServiceDate(time.start) ?? LAST_DAY) <= lastDay;
	if (time.start !== undefined && !isStartKept) time.start = lastDay;
	return { ...current, time: { ...time, end: lastDay } };
}

/** Whether the rules have an access window that ended on the day, `YYYY-MM-DD`, or before. */
export function hasEnded(rules: DrmRules | undefined, lastDay: string): boolean {
	return (parseServiceDate(rules?.time?.end) ?? LAST_DAY) <= lastDay;
}

/** @throws UserError when the service can't change the rules (`dynamic` is false) */
export function assertChangeable(current: DrmRules): void {
	if (current.dynamic !== false) return;
	throw new UserError("The rules of this container can't be changed", {
		description: `The container was encoded without "${RULE_LABELS.dynamic}". Encode the files again with "${RULE_LABELS.dynamic}" on and the new rules, then delete this container.`,
	});
}
