import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { isSet, parseRule } from '../../../shared/api/ruleValues';
import {
	coversAddress,
	isWildcard,
	overlaps,
	toAddressKey,
} from '../../../shared/parameters/addresses';
import { addDays, isNoDate, parseServiceDate } from '../../../shared/parameters/dates';
import { isRecord } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';
import type { EndField } from '../../parameters/drmRules';
import { assertWindow } from '../../parameters/drmRules';

/** Programs write a day such as 9999-12-31 for "no end". */
const NEVER = '9000-01-01';
const LAST_DAY = '9999-12-31';

const REVOKE_ADVICE = 'To end access for everyone, use the operation DRM > Revoke Access.';

/** Addresses to add to and remove from the current recipients. */
export interface RecipientChange {
	add: string[];
	remove: string[];
}

export function changesRecipients({ add, remove }: RecipientChange): boolean {
	return add.length > 0 || remove.length > 0;
}

/** The current rules that a change must understand: those that it changes in part. It replaces the others. */
export function listChangedInPart(rules: DrmRules, recipients: RecipientChange): string[] {
	const partly = ['geo', 'ip', 'time'].filter((key) => isPartial(rules[key]));
	return changesRecipients(recipients) ? [...partly, 'recipients'] : partly;
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
	for (const key of listChangedInPart(change, { add: [], remove: [] })) {
		merged[key] = { ...withoutUnset(current[key]), ...(change[key] as IDataObject) };
	}
	if (!changesRecipients(recipients)) return merged;
	return {
		...merged,
		recipients: changeRecipients(merged.recipients ?? [], recipients, container),
	};
}

function withoutUnset(rule: unknown): IDataObject {
	const parts = Object.entries((rule ?? {}) as IDataObject).filter(([, value]) => isSet(value));
	return Object.fromEntries(parts);
}

function isPartial(rule: unknown): boolean {
	return isRecord(rule) && Object.keys(rule).length > 0;
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
	// Empty text sorts before any day.
	const start = parseServiceDate(current.time?.start) ?? '';
	const end = parseServiceDate(current.time?.end) ?? LAST_DAY;
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
 * @param container for messages
 * @throws UserError when the current end is not a date that can be read
 */
export function extendWindow(
	current: DrmRules,
	change: DrmRules,
	days: number,
	today: string,
	container: string,
): DrmRules {
	const end: unknown = current.time?.end;
	const day = parseServiceDate(end);
	if (isNoDate(end) || (day ?? '') >= NEVER) return change;
	if (day === undefined) {
		throw new UserError("The container's current end is not a date that can be read", {
			description: `The service shows ${JSON.stringify(end).slice(0, 100)} as the end of ${container}. Set the new end with "${RULE_LABELS.timeEnd}" instead of "${RULE_LABELS.extendByDays}".`,
		});
	}
	return { ...change, time: { ...change.time, end: addDays(day < today ? today : day, days) } };
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
	const removedKeys = new Set(remove.map(toAddressKey));
	const removedWildcards = remove.filter(isWildcard);
	const isRemoved = (entry: string) =>
		removedKeys.has(toAddressKey(entry)) ||
		removedWildcards.some((wildcard) => coversAddress(wildcard, entry));
	const kept = current.filter((entry) => !isRemoved(entry));
	const list = [...kept];
	const known = new Set(kept.map(toAddressKey));
	for (const address of add) {
		const key = toAddressKey(address);
		if (!known.has(key)) list.push(address);
		known.add(key);
	}
	if (list.length === 0) throw noRecipientLeftError(current, container);
	const wildcards = list.filter(isWildcard);
	for (const removed of remove) {
		const isCovered = isWildcard(removed) ? overlaps : coversAddress;
		const wildcard = wildcards.find((entry) => isCovered(entry, removed));
		if (wildcard !== undefined) throw stillCoveredError(removed, wildcard, container);
	}
	return list;
}

function stillCoveredError(removed: string, wildcard: string, container: string): UserError {
	const shown = toLine(wildcard);
	return new UserError(`"${removed}" would still have access through the recipient "${shown}"`, {
		description: `Nothing was changed. Enter "${shown}" in "${RULE_LABELS.removeRecipients}" too, and everyone who keeps access in "${RULE_LABELS.addRecipients}". It is a recipient of ${container}.`,
	});
}

/** @throws UserError when rules in the format of the service contain no recipient in place of the list */
export function assertRecipientsNotEmptied({ recipients }: IDataObject, label: string): void {
	if (recipients === undefined) return;
	const entries: unknown[] = Array.isArray(recipients) ? recipients : [recipients];
	const isBlank = (entry: unknown) => String(entry ?? '').trim() === '';
	if (!entries.every(isBlank)) return;
	throw new UserError(`"${label}" would remove all recipients`, {
		description: `${NO_RECIPIENTS_NOTICE} ${REVOKE_ADVICE}`,
	});
}

function noRecipientLeftError(current: string[], container: string): UserError {
	const message =
		current.length === 1
			? `${toLine(current[0])} is the only recipient of ${container}`
			: current.length === 0
				? `There is no recipient to remove from ${container}`
				: `"${RULE_LABELS.removeRecipients}" would remove all recipients of ${container}`;
	return new UserError(message, {
		description: `Nothing was changed. ${NO_RECIPIENTS_NOTICE} ${REVOKE_ADVICE} To replace a recipient, use "${RULE_LABELS.addRecipients}" too.`,
	});
}

/** A recipient of the service in a message. */
function toLine(recipient: string): string {
	return recipient.replace(/\p{C}+/gu, ' ').slice(0, 100);
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
export function hasEnded(rules: DrmRules | undefined, lastDay: string): boolean {
	return (parseServiceDate(rules?.time?.end) ?? LAST_DAY) <= lastDay;
}

/**
 * @param container for messages
 * @throws UserError when the service can't change the rules (`dynamic` is false)
 */
export function assertChangeable(current: DrmRules, container: string): void {
	if (parseRule('dynamic', current.dynamic) !== false) return;
	throw new UserError(
		`The rules of ${container} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`,
		{
			description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
		},
	);
}
