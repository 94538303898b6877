import type { IDataObject } from 'n8n-workflow';

import { parseRules, type DrmRules, type ShownRules } from '../../../shared/api/drmRules';
import { isSameRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { addDays } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import { NEVER, toWindow, type RulesChange, type RulesPatch } from './ruleChanges';

/** What differs from the access that a change leads to: in words, and whether more people have access, or longer. */
interface Difference {
	isWider: boolean;
	text: string;
}

/** The recipients, the end or download, where the rules don't show them as they were sent. */
export function findDifference(
	change: RulesChange,
	before: RulesPatch,
	shown: ShownRules,
): Difference | undefined {
	const { rules: wanted, unclear, record } = parseRules(change.patch as IDataObject);
	// What was sent in a form of its own can show in it.
	const sent = (['recipients', 'time', 'downloadable'] as const).filter(
		(key) => key in record && !(key in unclear),
	);
	const odd = sent.find((key) => key in shown.unclear);
	if (odd !== undefined) {
		return { isWider: true, text: `"${odd}" as ${JSON.stringify(shown.unclear[odd])}` };
	}
	const [download, shownDownload] = [wanted, shown.rules].map(
		(rules) => rules.downloadable === true,
	);
	if (sent.includes('downloadable') && download !== shownDownload) {
		return { isWider: shownDownload, text: `download ${shownDownload ? 'on' : 'off'}` };
	}
	const people =
		sent.includes('recipients') && findRecipient(change, before, wanted, shown.rules.recipients);
	return people || (sent.includes('time') ? findEnd(change, shown) : undefined);
}

function findRecipient(
	{ removed = [] }: RulesChange,
	{ recipients: before }: RulesPatch,
	{ recipients: wanted = [] }: DrmRules,
	shown: string[] = [],
): Difference | undefined {
	const [wantedKeys, shownKeys] = [wanted, shown].map((list) => new Set(list.map(toAddressKey)));
	// Where nothing of a new list shows, it was not taken over. A service can always show the owner.
	const isOld = isSameRule(before, shown);
	const replaced = isOld ? shown.filter((entry) => !wantedKeys.has(toAddressKey(entry))) : [];
	const left = [...replaced, ...removed].find((entry) => shownKeys.has(toAddressKey(entry)));
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
	const isLater = end > addDays(last, days) && !isExtension;
	if (!isLater && end >= addDays(last, -days)) return undefined;
	return { isWider: isLater, text: end === NEVER ? 'no end' : `the end ${end}` };
}

/** The rules that were not sent and are missing: a service can replace all rules by those that are sent. */
export function listDropped(
	before: DrmRules,
	patch: RulesPatch,
	{ rules, unclear }: ShownRules,
	today: string,
): RulesPatch {
	const missing = RULE_KEYS.filter((key) => !(key in patch || key in rules || key in unclear));
	const values = missing.map(
		(key) => [key, key === 'time' ? toWindow(before.time ?? {}, today) : before[key]] as const,
	);
	return Object.fromEntries(values.filter(([, value]) => isFilled(value))) as RulesPatch;
}
