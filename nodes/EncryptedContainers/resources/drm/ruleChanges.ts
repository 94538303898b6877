import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
import { normalizeWindow } from '../../../shared/api/ruleValues';
import { parseServiceDate } from '../../../shared/parameters/dates';
import { matchesWildcards } from '../../../shared/parameters/wildcards';
import { isRecord } from '../../../shared/responses/shapes';
import { RULE_LABELS } from '../../descriptions/drmRules';
import { assertWindow } from '../../parameters/drmRules';

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
 * @throws UserError when the window would end before it starts, or no recipient would remain
 */
export function mergeRules(
	current: DrmRules,
	change: DrmRules,
	recipients: RecipientChange,
): DrmRules {
	const merged: DrmRules = { ...current, ...change };
	if (current.time !== undefined && change.time === undefined) {
		merged.time = normalizeWindow(current.time);
	}
	// A rule that is null, which JSON can contain, is sent as null: it removes the rule.
	if (isRecord(change.geo)) merged.geo = { ...current.geo, ...change.geo };
	if (isRecord(change.ip)) merged.ip = { ...current.ip, ...change.ip };
	if (isRecord(change.time)) {
		merged.time = { ...normalizeWindow(current.time), ...change.time };
		assertWindow(merged.time);
	}
	const changed = changeRecipients(merged.recipients, recipients);
	if (changed !== undefined) merged.recipients = changed;
	return merged;
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
	const added = new Set(add.map((address) => address.toLowerCase()));
	for (const address of removed) if (!added.has(address)) assertNotCovered(address, list);
	return list;
}

/** @throws UserError when a wildcard still lets a removed recipient in */
function assertNotCovered(removed: string, recipients: string[]): void {
	const wildcard = recipients.find(
		(entry) => entry.includes('*') && matchesWildcards(removed, entry.toLowerCase()),
	);
	if (wildcard === undefined) return;
	throw new UserError(`"${removed}" would still have access through the recipient "${wildcard}"`, {
		description: `Nothing was changed. Enter "${wildcard}" in "${RULE_LABELS.removeRecipients}" too, and everyone who keeps access in "${RULE_LABELS.addRecipients}".`,
	});
}

/** @throws UserError when rules in the format of the service contain no recipient in place of the list */
export function assertRecipientsNotEmptied({ recipients }: IDataObject, label: string): void {
	if (recipients === undefined) return;
	const entries: unknown[] = Array.isArray(recipients) ? recipients : [recipients];
	const isEmptied = entries.every((entry) => entry === null || String(entry).trim() === '');
	if (isEmptied) throw noRecipientLeftError(label);
}

function noRecipientLeftError(label: string): UserError {
	return new UserError(`"${label}" would remove all recipients`, {
		description:
			'An empty list of recipients could mean nobody or everybody. To end access for everyone, use the operation DRM > Revoke Access.',
	});
}

/** The rules with the access window ended on a day, `YYYY-MM-DD`. A later start is moved to that day. */
export function endWindow(current: DrmRules, lastDay: string): DrmRules {
	const time = normalizeWindow(current.time);
	// A start that can't be read might be in the future.
	const isStartKept = (parseServiceDate(time.start) ?? '9999-12-31') <= lastDay;
	if (time.start !== undefined && !isStartKept) time.start = lastDay;
	return { ...current, time: { ...time, end: lastDay } };
}

/** Whether the rules have an access window that ended on the day, `YYYY-MM-DD`, or before. */
export function hasEnded(rules: DrmRules | undefined, lastDay: string): boolean {
	const end = parseServiceDate(rules?.time?.end);
	return end !== undefined && end <= lastDay;
}

/** @throws UserError when the service can't change the rules (`dynamic` is false) */
export function assertChangeable(current: DrmRules): void {
	if (current.dynamic !== false) return;
	throw new UserError("The rules of this container can't be changed", {
		description: `The container was encoded without "${RULE_LABELS.dynamic}". Encode the files again with "${RULE_LABELS.dynamic}" on and the new rules, then delete this container.`,
	});
}
