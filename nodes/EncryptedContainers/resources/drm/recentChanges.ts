import { createHash } from 'crypto';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule, RULE_KEYS, toCanonicalRule } from '../../../shared/api/ruleValues';
import { RecentValues } from '../../../shared/client/recentValues';
import { toNearestDay } from '../../../shared/parameters/dates';
import { isRecord } from '../../../shared/responses/shapes';
import { toComparable } from './contradiction';

/** How long what this process changed counts, in milliseconds, and how many rules of a container. */
const MAX_AGE = 180_000;
const MAX_RULES = 40;

interface Changes {
	/** Hashes of single rules as they were before the last changes, the oldest first, and when they were replaced. */
	replaced: Map<string, number>;
	lost: string[];
	/** Hashes of the rules after the last change. */
	last: string;
}

const changes = new RecentValues<Changes>(MAX_AGE);

/** Whether this process has just replaced one of these rules; for certain, where the response to the change was not lost. */
export function isReplaced(key: string, rules: DrmRules, isCertain: boolean): boolean {
	const { replaced, lost = [] } = changes.get(key) ?? {};
	const isRecent = (at = 0) => Date.now() - at < MAX_AGE;
	const isOld = (hash: string) =>
		isRecent(replaced?.get(hash)) && !(isCertain && lost.includes(hash));
	return toHashes(rules).some(isOld);
}

/** Whether the last change led to these rules. */
export function isLastChange(key: string, after: DrmRules): boolean {
	return changes.get(key)?.last === toHashes(after).join();
}

export function isSameState(one: DrmRules, other: DrmRules): boolean {
	return toTexts(one).join() === toTexts(other).join();
}

/** Remembers a change, so that a later read can be told from one of before. `isLost` is one whose outcome is not known. */
export function rememberChange(
	key: string,
	before: DrmRules | undefined,
	after: DrmRules,
	isLost: boolean,
	changed = Object.keys(after),
): void {
	// What this change replaced is not known, and it can have restored any rules.
	if (before === undefined) return changes.delete(key);
	const replaced = changes.get(key)?.replaced ?? new Map();
	// What a response leaves out of the changed rules is gone; of the others, it can show less than a read.
	const others = Object.entries(before).filter(([rule]) => !changed.includes(rule));
	const current = toHashes({ ...Object.fromEntries(others), ...after });
	const old = toHashes(before, changed).filter((hash) => !current.includes(hash));
	for (const hash of current) replaced.delete(hash);
	for (const hash of old) replaced.set(hash, Date.now());
	for (const oldest of [...replaced.keys()].slice(0, -MAX_RULES)) replaced.delete(oldest);
	const last = toHashes(after).join();
	changes.set(key, { replaced, lost: isLost ? old : [], last }, replaced.size * 150 + 800);
}

/** Days, countries and IP rules in one form, where they can be compared. */
function toPlain({ time, geo, ip, ...others }: DrmRules): DrmRules {
	const toPlainList = (list: unknown) =>
		Array.isArray(list) ? list.map((entry: unknown) => toComparable(entry) ?? entry) : list;
	const plain = {
		time: mapParts(time, (date) => toNearestDay(date) ?? date),
		geo: mapParts(geo, toPlainList),
		ip: mapParts(ip, toPlainList),
	};
	return { ...others, ...plain } as DrmRules;
}

function mapParts(rule: unknown, convert: (part: unknown) => unknown): unknown {
	if (!isRecord(rule)) return rule;
	return Object.fromEntries(Object.entries(rule).map(([name, part]) => [name, convert(part)]));
}

/** A hash of each rule: one can be read where another is not known, or is older. */
function toHashes(rules: DrmRules, keys = RULE_KEYS): string[] {
	const texts = toTexts(toPlain(rules));
	return RULE_KEYS.flatMap((key, index) => {
		const isKnown = keys.includes(key) && (key !== 'recipients' || key in rules);
		// Some languages leave out a switch that is off.
		const text = texts[index] === 'false' ? '' : texts[index];
		const hash = createHash('sha256').update(`${key}:${text}`).digest('base64');
		return isKnown ? [hash] : [];
	});
}

/** Forms of one value are one: a change can need a rule in the documented form, and the next one not. */
function toTexts(rules: DrmRules): string[] {
	return RULE_KEYS.map((key) => toCanonicalRule(parseRule(key, rules[key]) ?? rules[key]));
}
