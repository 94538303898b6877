import { UserError, type IDataObject } from 'n8n-workflow';

import { isSameRule, parseRules, RULE_KEYS } from '../../../shared/api/drmRules';
import type { DrmRules, RuleKey, ShownRules } from '../../../shared/api/drmRules';
import { covers, isWildcard, overlaps, toAddressKey } from '../../../shared/parameters/addresses';
import { addDays, getLastDayOverEverywhere } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import { NO_RECIPIENTS_NOTICE, RULE_LABELS } from '../../descriptions/drmRules';

/** Programs write a day such as 9999-12-31 for "no end". */
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
	/** Whether access can end later than sent: somebody else can extend it, too. */
	isExtension?: boolean;
	/** What else can help where the service still shows the old access. */
	advice?: string;
	output?: IDataObject;
}

/** What differs from the access that a change leads to: in words, and whether more people have access, or longer. */
interface Difference {
	isWider: boolean;
	text: string;
	/** The rules that were not sent and are missing: a service can replace all rules by those that are sent. */
	dropped?: RulesPatch;
}

/** Ends access on the last day that is over everywhere, if it has not ended. */
export function endAccess(shown: ShownRules): RulesChange {
	return hasEnded(shown) ? {} : { patch: { time: { end: getEndThatIsOver(shown) } } };
}

export function hasEnded(shown: ShownRules): boolean {
	const { end = NEVER } = shown.rules.time ?? {};
	return end <= getEndThatIsOver(shown);
}

function getEndThatIsOver({ tolerance }: ShownRules): string {
	return addDays(getLastDayOverEverywhere(), -tolerance);
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

/** An error where the service can't change the rules (`dynamic` is false). */
export function findFixed({ dynamic }: DrmRules, container: string): UserError | undefined {
	if (dynamic !== false) return undefined;
	const message = `The rules of ${container} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`;
	return new UserError(message, {
		description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
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
	const kept = current.filter((entry) => !isRemoved(entry));
	const known = new Set(kept.map(toAddressKey));
	const list = [...kept, ...add.filter((entry) => !known.has(toAddressKey(entry)))];
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

/** The rules that are missing, or the recipients, the end or the download that are not as they were sent. */
export function findDifference(
	change: RulesChange,
	before: DrmRules,
	shown: ShownRules,
	today: string,
): Difference | undefined {
	const { patch = {} } = change;
	const { rules: wanted, unclear } = parseRules(patch as IDataObject);
	const dropped = listDropped(before, patch, shown, today);
	const names = Object.keys(dropped).join(', ');
	if (names !== '') return { isWider: true, text: `the rules without ${names}`, dropped };
	const finders = {
		recipients: () => findRecipient(change, before, wanted, shown.rules.recipients),
		time: () => findEnd(change, shown),
		downloadable: () => findDownload(wanted, shown.rules),
	};
	// What was sent in a form of its own can show in it.
	const sent = (['recipients', 'time', 'downloadable'] as const).filter(
		(key) => key in patch && !(key in unclear),
	);
	const found = sent.map((key) => {
		const { [key]: odd } = shown.unclear;
		if (odd === undefined) return finders[key]();
		return { isWider: true, text: `"${key}" as ${JSON.stringify(odd)}` };
	});
	return found.find((difference) => difference?.isWider) ?? found.find(Boolean);
}

function listDropped(
	before: DrmRules,
	patch: RulesPatch,
	{ rules, unclear }: ShownRules,
	today: string,
): RulesPatch {
	const missing = RULE_KEYS.filter((key) => !(key in patch || key in rules || key in unclear));
	const all = { ...before, time: toWindow(before.time ?? {}, today) };
	const values = missing.map((key) => [key, all[key]]).filter(([, value]) => isFilled(value));
	return Object.fromEntries(values) as RulesPatch;
}

function findRecipient(
	{ isReplacement }: RulesChange,
	{ recipients: before = [] }: DrmRules,
	{ recipients: wanted = [] }: DrmRules,
	shown: string[] = [],
): Difference | undefined {
	const [wantedKeys, shownKeys] = [wanted, shown].map((list) => new Set(list.map(toAddressKey)));
	const isTakenOver = isReplacement && !isSameRule(before, shown);
	const removed = isTakenOver ? [] : before.filter((entry) => !wantedKeys.has(toAddressKey(entry)));
	const left = removed.find((entry) => shownKeys.has(toAddressKey(entry)));
	if (left !== undefined) return { isWider: true, text: `the recipient ${shorten(left)}` };
	const missing = wanted.find((entry) => !shownKeys.has(toAddressKey(entry)));
	return missing === undefined
		? undefined
		: { isWider: false, text: `the recipients without ${shorten(missing)}` };
}

/** Another end than the one that was sent. */
export function findEnd(
	{ patch, isExtension }: RulesChange,
	{ rules, tolerance }: ShownRules,
): Difference | undefined {
	const [wanted, end] = [patch?.time?.end ?? NEVER, rules.time?.end ?? NEVER].map((day) =>
		day > NEVER ? NEVER : day,
	);
	const isWider = end > addDays(wanted, tolerance) && !isExtension;
	if (!isWider && end >= addDays(wanted, -tolerance)) return undefined;
	return { isWider, text: end === NEVER ? 'no end' : `the end ${end}` };
}

function findDownload(...rules: [wanted: DrmRules, shown: DrmRules]): Difference | undefined {
	const [wanted, isWider] = rules.map(({ downloadable }) => downloadable === true);
	return wanted === isWider ? undefined : { isWider, text: `download ${isWider ? 'on' : 'off'}` };
}
