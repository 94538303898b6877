import type { IDataObject } from 'n8n-workflow';

import { isSameRule, parseRules, RULE_KEYS } from '../../../shared/api/shownRules';
import type { DrmRules, RuleKey, ShownRules } from '../../../shared/api/shownRules';
import { toAddressKey } from '../../../shared/parameters/addresses';
import { addDays } from '../../../shared/parameters/dates';
import { shorten } from '../../../shared/parameters/values';
import { isFilled } from '../../../shared/responses/shapes';
import { getEnd, NEVER, toWindow, type RulesChange, type RulesPatch } from './ruleChanges';

/** What differs from the access that a change leads to: in words, and whether more people have access, or longer. */
export interface Difference {
	isWider: boolean;
	text: string;
	/** The rules that were not sent and are missing: a service can replace all rules by those that are sent. */
	dropped?: RulesPatch;
}

/** The rules that are missing, or the recipients, the end or the download that are not as they were sent. */
export function findDifference(
	change: RulesChange,
	before: DrmRules,
	shown: ShownRules,
	today: string,
): Difference | undefined {
	const { patch = {} } = change;
	const kept: DrmRules = { ...before, time: toWindow(before.time ?? {}, today) ?? undefined };
	const known = { ...patch, ...shown.rules, ...shown.unclear };
	const missing = RULE_KEYS.filter((key) => limitsAccess(key, kept) && !(key in known));
	if (missing.length > 0) {
		const dropped = Object.fromEntries(missing.map((key) => [key, kept[key]]));
		return { isWider: true, text: `the rules without ${missing.join(', ')}`, dropped };
	}
	const { rules: wanted, unclear } = parseRules(patch as IDataObject);
	// What was sent in a form of its own can show in it.
	const sent = (['recipients', 'time', 'downloadable'] as const).filter(
		(key) => key in patch && !(key in unclear),
	);
	const found = sent.map((key) => {
		const { [key]: odd } = shown.unclear;
		if (odd !== undefined) return { isWider: true, text: `"${key}" as ${JSON.stringify(odd)}` };
		if (key === 'recipients') return findRecipient(change, before, wanted, shown.rules);
		return key === 'time' ? findEnd(change, shown) : findDownload(wanted, shown.rules);
	});
	return found.find((difference) => difference?.isWider) ?? found.find(Boolean);
}

/** Where `downloadable` is missing, files can be downloaded. */
function limitsAccess(key: RuleKey, rules: DrmRules): boolean {
	return key === 'downloadable' ? rules.downloadable === false : isFilled(rules[key]);
}

function findRecipient(
	{ isReplacement }: RulesChange,
	{ recipients: before = [] }: DrmRules,
	{ recipients: wanted = [] }: DrmRules,
	{ recipients: shown = [] }: DrmRules,
): Difference | undefined {
	const isWanted = isOneOf(wanted);
	const isShown = isOneOf(shown);
	const isTakenOver = isReplacement && !isSameRule(before, shown);
	const left = before.find((entry) => !isTakenOver && !isWanted(entry) && isShown(entry));
	if (left !== undefined) return { isWider: true, text: `the recipient ${shorten(left)}` };
	const missing = wanted.find((entry) => !isShown(entry));
	if (missing === undefined) return undefined;
	return { isWider: false, text: `the recipients without ${shorten(missing)}` };
}

function isOneOf(addresses: string[]): (address: string) => boolean {
	const keys = new Set(addresses.map(toAddressKey));
	return (address) => keys.has(toAddressKey(address));
}

function findEnd(
	{ patch = {}, extendedTo }: RulesChange,
	{ rules, tolerance }: ShownRules,
): Difference | undefined {
	const wanted = getEnd(patch);
	const end = getEnd(rules);
	// Somebody else can extend it too.
	const isWider = end > addDays(wanted, tolerance) && extendedTo === undefined;
	if (!isWider && end >= addDays(wanted, -tolerance)) return undefined;
	return { isWider, text: end === NEVER ? 'no end' : `the end ${end}` };
}

function findDownload(wanted: DrmRules, shown: DrmRules): Difference | undefined {
	const isWider = shown.downloadable !== false;
	const isWanted = wanted.downloadable !== false;
	if (isWanted === isWider) return undefined;
	return { isWider, text: isWider ? 'download on' : 'download off' };
}
