import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import type { RuleKey } from '../../../shared/api/ruleValues';
import { covers, isWildcard, overlaps, toAddressKey } from '../../../shared/parameters/addresses';
import { addDays, getLastDayOverEverywhere } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';

/** Programs write a day such as 9999-12-31 for "no end". */
export const NEVER = '9000-01-01';

export const REVOKE_ADVICE = `${NO_RECIPIENTS_NOTICE} To end access for everyone, use the operation DRM > Revoke Access.`;

/** The rules to send: null removes one, and a rule is sent whole. */
export type RulesPatch = { [Key in RuleKey]?: DrmRules[Key] | null };

/** What to do with the rules of a container, decided by those that it has. */
export interface RulesChange {
	/** Undefined where nothing changes. */
	patch?: RulesPatch;
	/** The recipients that must not show any more. */
	removed?: string[];
	/** Whether access can end later than sent: somebody else can extend it, too. */
	isExtension?: boolean;
	/** What else can help where the service still shows the old access. */
	advice?: string;
	output?: IDataObject;
}

export type RecipientChange = Record<'add' | 'remove', string[]>;

/** Ends access on the last day that is over everywhere, if it has not ended. */
export function endAccess(shown: ShownRules): RulesChange {
	if (hasEnded(shown)) return {};
	return { patch: { time: { end: addDays(getLastDayOverEverywhere(), -shown.tolerance) } } };
}

/** Whether the last day is over everywhere. */
export function hasEnded({ rules, tolerance }: ShownRules): boolean {
	const end = rules.time?.end;
	return end !== undefined && end <= addDays(getLastDayOverEverywhere(), -tolerance);
}

/** The access window as it is sent: services can refuse a start in the past, which is no limit any more. */
export function toWindow(window: IDataObject, today: string): IDataObject | null {
	const { start, ...others } = window;
	const sent = typeof start === 'string' && start < today ? others : window;
	return isFilled(sent) ? sent : null;
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
	{ add, remove }: RecipientChange,
	container: string,
): string[] {
	const isRemoved = covers(remove);
	const kept = current.filter((entry) => !isRemoved(entry));
	const known = new Set(kept.map(toAddressKey));
	const list = [...kept, ...add.filter((entry) => !known.has(toAddressKey(entry)))];
	if (list.length === 0) {
		const message = `"${RULE_LABELS.removeRecipients}" would remove all recipients of ${container}`;
		throw new UserError(message, { description: `Nothing was changed. ${REVOKE_ADVICE}` });
	}
	const wildcards = list.filter(isWildcard);
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
	if (dynamic !== false) return undefined;
	const message = `The rules of ${container} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`;
	return new UserError(message, {
		description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
	});
}
