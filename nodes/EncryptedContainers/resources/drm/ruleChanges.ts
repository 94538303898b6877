import type { IDataObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import type { DrmRules } from '../../../shared/api/drmRules';
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
	// A rule that is null, which JSON can contain, is sent as null: it removes the rule.
	if (isRecord(change.geo)) merged.geo = { ...current.geo, ...change.geo };
	if (isRecord(change.ip)) merged.ip = { ...current.ip, ...change.ip };
	if (isRecord(change.time)) {
		merged.time = { ...getSetDays(current.time), ...change.time };
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
	if (list.length > 0) return list;
	throw noRecipientLeftError(RULE_LABELS.removeRecipients);
}

/** @throws UserError when rules in the format of the service contain an empty list of recipients, or null in its place */
export function assertRecipientsNotEmptied({ recipients }: IDataObject, label: string): void {
	const isEmptied = Array.isArray(recipients) ? recipients.length === 0 : recipients === null;
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
	const days = getSetDays(current.time);
	if (typeof days.start === 'string' && days.start.slice(0, 10) > lastDay) days.start = lastDay;
	return { ...current, time: { ...days, end: lastDay } };
}

/** Whether the rules have an access window that ended on the day, `YYYY-MM-DD`, or before. */
export function hasEnded(rules: DrmRules | undefined, lastDay: string): boolean {
	const end = rules?.time?.end;
	return typeof end === 'string' && end.slice(0, 10) <= lastDay;
}

/** @throws UserError when the service can't change the rules (`dynamic` is false) */
export function assertChangeable(current: DrmRules): void {
	if (current.dynamic !== false) return;
	throw new UserError("The rules of this container can't be changed", {
		description: `The container was encoded without "${RULE_LABELS.dynamic}". Encode the files again with "${RULE_LABELS.dynamic}" on and the new rules, then delete this container.`,
	});
}

/** The days of a window without null, which a service might return for a day that is not set. */
function getSetDays(time: DrmRules['time']): NonNullable<DrmRules['time']> {
	return Object.fromEntries(Object.entries(time ?? {}).filter(([, day]) => day !== null));
}
