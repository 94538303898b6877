import { UserError, type IDataObject } from 'n8n-workflow';

import {
	isSameRule,
	parseRules,
	RULE_KEYS,
	type DrmRules,
	type RuleKey,
	type ShownRules,
} from '../../../shared/api/drmRules';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { addDays, getLastDayOverEverywhere } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import { RULE_LABELS } from '../../descriptions/drmRules';

/** Programs write a day such as 9999-12-31 for "no end". */
export const NEVER = '9000-01-01';

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

/** An error where the service can't change the rules (`dynamic` is false). */
export function findFixed({ dynamic }: DrmRules, container: string): UserError | undefined {
	if (dynamic !== false) return undefined;
	const message = `The rules of ${container} can't change: it was encrypted without "${RULE_LABELS.dynamic}"`;
	return new UserError(message, {
		description: `To end access, delete the container. To share the files with other rules, encode them again with "${RULE_LABELS.dynamic}" on.`,
	});
}

/** The recipients, the end or download, where the rules don't show them as they were sent. */
export function findDifference(
	change: RulesChange,
	before: DrmRules,
	shown: ShownRules,
): Difference | undefined {
	const { rules: wanted, unclear, record } = parseRules(change.patch as IDataObject);
	const finders = {
		recipients: () => findRecipient(change, before, wanted, shown.rules.recipients),
		time: () => findEnd(change, shown),
		downloadable: () => findDownload(wanted, shown.rules),
	};
	// What was sent in a form of its own can show in it.
	const sent = (['recipients', 'time', 'downloadable'] as const).filter(
		(key) => key in record && !(key in unclear),
	);
	const found = sent.map((key) => {
		const { [key]: odd } = shown.unclear;
		if (odd === undefined) return finders[key]();
		return { isWider: true, text: `"${key}" as ${JSON.stringify(odd)}` };
	});
	return found.find((difference) => difference?.isWider) ?? found.find(Boolean);
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
	if (missing === undefined) return undefined;
	return { isWider: false, text: `the recipients without ${shorten(missing)}` };
}

/** Another end than the one that was sent. */
export function findEnd({ patch, isExtension }: RulesChange, shown: ShownRules) {
	const wanted = parseRules({ time: patch?.time });
	const [last, end] = [wanted.rules, shown.rules].map(({ time: { end: day = NEVER } = {} }) =>
		day > NEVER ? NEVER : day,
	);
	const days = Math.max(wanted.tolerance, shown.tolerance);
	const isWider = end > addDays(last, days) && !isExtension;
	if (!isWider && end >= addDays(last, -days)) return undefined;
	return { isWider, text: end === NEVER ? 'no end' : `the end ${end}` };
}

function findDownload(...rules: [wanted: DrmRules, shown: DrmRules]): Difference | undefined {
	const [wanted, isWider] = rules.map(({ downloadable }) => downloadable === true);
	return wanted === isWider ? undefined : { isWider, text: `download ${isWider ? 'on' : 'off'}` };
}

/** The rules that were not sent and are missing: a service can replace all rules by those that are sent. */
export function listDropped(
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
