import type { IDataObject } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { parseRules } from '../../../shared/api/drmRules';
import { isSameRule, RULE_KEYS } from '../../../shared/api/ruleValues';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { addDays } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import { NEVER, toWindow, type RulesChange, type RulesPatch } from './ruleChanges';

/** What differs from the access that a change leads to: in words, and whether more people have access, or longer. */
export interface Difference {
	isWider: boolean;
	text: string;
}

/** The recipients, the end or download, where the rules don't show them as they were sent. */
export function findDifference(
	change: RulesChange,
	before: DrmRules,
	shown: ShownRules,
): Difference | undefined {
	const wanted = parseRules(change.patch as IDataObject);
	// What was sent in a form of its own can show in it.
	const sent = (['recipients', 'time', 'downloadable'] as const).filter(
		(key) => key in wanted.record && !(key in wanted.unclear),
	);
	const unclear = sent.find((key) => key in shown.unclear);
	if (unclear !== undefined) {
		return { isWider: true, text: `"${unclear}" as ${JSON.stringify(shown.unclear[unclear])}` };
	}
	const { downloadable = false } = wanted.rules;
	if (sent.includes('downloadable') && downloadable !== (shown.rules.downloadable ?? false)) {
		return { isWider: !downloadable, text: `download ${downloadable ? 'off' : 'on'}` };
	}
	const recipient = sent.includes('recipients')
		? findRecipient(change, before, wanted.rules, shown.rules)
		: undefined;
	return recipient ?? (sent.includes('time') ? findEnd(change, shown) : undefined);
}

function findRecipient(
	{ removed = [] }: RulesChange,
	{ recipients: before = [] }: DrmRules,
	{ recipients: wanted = [] }: DrmRules,
	{ recipients: shown = [] }: DrmRules,
): Difference | undefined {
	const omit = (list: string[], others: string[]) => {
		const keys = new Set(others.map(toAddressKey));
		return list.filter((entry) => !keys.has(toAddressKey(entry)));
	};
	// Where nothing of a new list shows, it was not taken over. A service can always show the owner.
	const replaced = isSameRule(before, shown) ? omit(before, wanted) : [];
	const left = [...replaced, ...removed];
	const gone = new Set(omit(left, shown));
	const remaining = left.find((entry) => !gone.has(entry));
	if (remaining !== undefined) {
		return { isWider: true, text: `the recipient ${shorten(remaining)}` };
	}
	const [missing] = omit(wanted, shown);
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
