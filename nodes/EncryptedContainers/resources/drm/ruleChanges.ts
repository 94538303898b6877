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

/**
 * Applies a change to the current rules, so that they can be sent whole.
 *
 * @param current the rules as the service reports them
 * @param change the rules that the user gave; a list in it takes the place of the current one
 * @param recipients addresses to add and remove
 * @returns all rules after the change; neither argument is altered
 * @throws UserError when the window would end before it starts, or no recipient would remain
 */
export function mergeRules(
	current: DrmRules,
	change: DrmRules,
	recipients: RecipientChange,
): DrmRules {
	const merged: DrmRules = { ...current, ...change };
	// A rule that is null, which JSON may give, is sent as that: it takes the rule away.
	if (isRecord(change.geo)) merged.geo = { ...current.geo, ...change.geo };
	if (isRecord(change.ip)) merged.ip = { ...current.ip, ...change.ip };
	if (isRecord(change.time)) {
		merged.time = { ...setDays(current.time), ...change.time };
		assertWindow(merged.time);
	}
	const changed = changeRecipients(merged.recipients, recipients);
	if (changed !== undefined) merged.recipients = changed;
	return merged;
}

/**
 * Adds and removes recipients.
 *
 * @param current the current addresses, if there are any
 * @param change what to add and remove; capitals make no difference
 * @returns the new list, or undefined when nothing was to be added or removed
 * @throws UserError when none would remain: what an empty list means is not known, so it is never sent
 */
export function changeRecipients(
	current: string[] | undefined,
	{ add, remove }: RecipientChange,
): string[] | undefined {
	if (add.length === 0 && remove.length === 0) return undefined;
	const removed = new Set(remove.map((address) => address.toLowerCase()));
	const kept = (current ?? []).filter((address) => !removed.has(String(address).toLowerCase()));
	const known = new Set(kept.map((address) => String(address).toLowerCase()));
	const list = [...kept, ...add.filter((address) => !known.has(address.toLowerCase()))];
	if (list.length > 0) return list;
	throw noRecipientLeftError(RULE_LABELS.removeRecipients);
}

/**
 * Makes sure that rules in the service's form do not empty the list of recipients.
 *
 * @param rules as the user gave them; without `recipients` the list stays as it is
 * @param label display name of the field that holds them
 * @throws UserError when they hold an empty list, or null in its place
 */
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

/**
 * The present rules with the access window ended.
 *
 * @param current the rules as the service reports them
 * @param lastDay the day on which access ended, `YYYY-MM-DD`
 * @returns all rules; a start after that day is moved to it, so that the window stays one
 */
export function endWindow(current: DrmRules, lastDay: string): DrmRules {
	const days = setDays(current.time);
	if (typeof days.start === 'string' && days.start.slice(0, 10) > lastDay) days.start = lastDay;
	return { ...current, time: { ...days, end: lastDay } };
}

/**
 * Whether rules show an access window that is over.
 *
 * @param rules the rules as the service reports them
 * @param lastDay the last day that access may have had, `YYYY-MM-DD`
 */
export function hasEnded(rules: DrmRules | undefined, lastDay: string): boolean {
	const end = rules?.time?.end;
	return typeof end === 'string' && end.slice(0, 10) <= lastDay;
}

/**
 * Stops before a change that the service cannot make.
 *
 * @param current the rules as the service reports them
 * @throws UserError when they are fixed (`dynamic` false)
 */
export function assertChangeable(current: DrmRules): void {
	if (current.dynamic !== false) return;
	throw new UserError("The rules of this container can't be changed", {
		description: `The container was encoded without "${RULE_LABELS.dynamic}". Encode the files again with "${RULE_LABELS.dynamic}" on and the new rules, then delete this container.`,
	});
}

/** The days of a window that are set; a service may report null for one that is not. */
function setDays(time: DrmRules['time']): NonNullable<DrmRules['time']> {
	return Object.fromEntries(Object.entries(time ?? {}).filter(([, day]) => day !== null));
}
