import { UserError, type IDataObject } from 'n8n-workflow';

import type { DrmRules, RuleKey, ShownRules } from '../../../shared/api/shownRules';
import { simpleField } from '../../../shared/descriptions/options';
import { covers, isWildcard, omitRepeated, overlaps } from '../../../shared/parameters/addresses';
import { addDays, getLastDayOverEverywhere } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/ruleFields';

/** The end where there is none: programs also write a day such as 9999-12-31. */
export const NEVER = '9000-01-01';

export const REVOKE_ADVICE = `${NO_RECIPIENTS_NOTICE} To end access for everyone, use the operation Access Rules (DRM) > Revoke Access.`;

/** The rules to send: null removes one, and a rule is sent whole. */
export type RulesPatch = { [Key in RuleKey]?: DrmRules[Key] | null };

/** What to do with the rules of a container, decided by those that it has. */
export interface RulesChange {
	/** Undefined where nothing changes. */
	patch?: RulesPatch;
	/** Whether all recipients are replaced: a service can still show one of before, such as its owner. */
	isReplacement?: boolean;
	/** The end that is some days later than the one before: not to be moved twice. */
	extendedTo?: string;
	/** Whether access was over before. */
	isOver?: boolean;
	output?: IDataObject;
}

interface Extension {
	days: number | undefined;
	evenIfOver: boolean;
	today: string;
	/** What a message calls the container. */
	title: string;
}

export const evenIfOverOption = simpleField(
	['Extend Even if Access Is Over', 'evenIfOver', false],
	`Whether "${RULE_LABELS.extendByDays}" also gives access again where it is over or was revoked, counted from today`,
);

/** Ends access on the last day that is over everywhere; undefined where it has ended. */
export function endAccess({ rules, tolerance }: ShownRules): RulesPatch | undefined {
	const end = addDays(getLastDayOverEverywhere(), -tolerance);
	return getEnd(rules) <= end ? undefined : { time: { end } };
}

export const hasEnded = (shown: ShownRules): boolean => endAccess(shown) === undefined;

export function getEnd({ time }: RulesPatch): string {
	const { end = NEVER } = time ?? {};
	return end < NEVER ? end : NEVER;
}

/** The access window as it is sent: services can refuse a start in the past, which is no limit any more. */
export function toWindow(window: IDataObject, today: string): IDataObject | null {
	const { start, ...others } = window;
	const sent = typeof start === 'string' && start < today ? others : window;
	return isFilled(sent) ? sent : null;
}

/**
 * The current end moved later; undefined without an end, or without a number of days.
 * @throws UserError where access is over and is not to be given back: somebody can have revoked it meanwhile
 */
export function extendEnd(
	rules: DrmRules,
	{ days, evenIfOver, today, title }: Extension,
): string | undefined {
	const end = getEnd(rules);
	if (end === NEVER || days === undefined) return undefined;
	if (end >= today) return addDays(end, days);
	if (evenIfOver) return addDays(today, days);
	throw new UserError(`Access to ${title} has been over since the end of ${end}`, {
		description: `Nothing was changed: "${RULE_LABELS.extendByDays}" gives nobody access again, because somebody can have revoked it. If you want that, turn on "${evenIfOverOption.displayName}" in the options, which counts from today; or set a new end with "${RULE_LABELS.timeEnd}" or "${RULE_LABELS.accessDays}".`,
	});
}

/**
 * Adds and removes recipients, in any form of their addresses. A wildcard that is removed takes along everybody whom it
 * covers, apart from those who are added.
 * @throws UserError where nobody would be left, or somebody who is removed would still have access
 */
export function changeRecipients(
	current: string[],
	{ add, remove }: { add: string[]; remove: string[] },
	container: string,
): string[] {
	const isRemoved = covers(remove);
	const list = omitRepeated([...current.filter((entry) => !isRemoved(entry)), ...add]);
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
