import { createHash } from 'crypto';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule, RULE_KEYS, toCanonicalRule } from '../../../shared/api/ruleValues';
import { RecentValues } from '../../../shared/client/recentValues';
import { parseServiceDate } from '../../../shared/parameters/dates';
import { isRecord } from '../../../shared/responses/shapes';
import { toComparable } from './contradiction';

/** How long what this process changed counts, in milliseconds, and how many states of a container. */
const MAX_AGE = 180_000;
const MAX_STATES = 40;

/** By container: hashes of its rules as they were before the last changes, the oldest first. */
const changes = new RecentValues<{ replaced: Set<string>; lost: string[] }>(MAX_AGE);

/** Whether this process has just replaced these rules; for certain, where the response to the change was not lost. */
export function isReplaced(key: string, rules: DrmRules, isCertain: boolean): boolean {
	const { replaced, lost = [] } = changes.get(key) ?? {};
	const isOld = (hash: string) => replaced?.has(hash) && !(isCertain && lost.includes(hash));
	return toHashes(rules).some(isOld);
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
): void {
	// What this change replaced is not known, and it can have restored any rules.
	if (before === undefined) return changes.delete(key);
	const replaced = changes.get(key)?.replaced ?? new Set();
	const [whole, others] = toHashes(before);
	const withoutRecipients = { ...after, recipients: undefined };
	// A response, and a read, can show the rules in part.
	const current = [after, withoutRecipients, { ...before, ...after }].flatMap(toHashes);
	const isSame = current[0] === whole;
	for (const hash of current) replaced.delete(hash);
	if (!isSame) replaced.add(whole);
	if (!current.includes(others)) replaced.add(others);
	for (const oldest of [...replaced].slice(0, -MAX_STATES)) replaced.delete(oldest);
	changes.set(key, { replaced, lost: isLost ? [whole, others] : [] }, replaced.size * 150);
}

/** Days, countries and IP rules in one form, where they can be compared. */
function toPlain({ time, geo, ip, ...others }: DrmRules): DrmRules {
	const toPlainList = (list: unknown) =>
		Array.isArray(list) ? list.map((entry: unknown) => toComparable(entry) ?? entry) : list;
	const plain = {
		time: mapParts(time, (day) => parseServiceDate(day) ?? day),
		geo: mapParts(geo, toPlainList),
		ip: mapParts(ip, toPlainList),
	};
	return { ...others, ...plain } as DrmRules;
}

function mapParts(rule: unknown, convert: (part: unknown) => unknown): unknown {
	if (!isRecord(rule)) return rule;
	return Object.fromEntries(Object.entries(rule).map(([name, part]) => [name, convert(part)]));
}

/**
 * Hashes of all rules, and of those that only `/drm` shows: recipients can stand in the container's record alone, so that
 * not every read knows them.
 */
function toHashes(rules: DrmRules): [string, string] {
	const texts = toTexts(toPlain(rules));
	const others = texts.filter((_text, index) => RULE_KEYS[index] !== 'recipients');
	const [whole, own] = [texts, others].map((parts) =>
		createHash('sha256').update(parts.join('\n')).digest('base64'),
	);
	return [whole, own];
}

/** Forms of one value are one: a change can need a rule in the documented form, and the next one not. */
function toTexts(rules: DrmRules): string[] {
	return RULE_KEYS.map((key) => toCanonicalRule(parseRule(key, rules[key]) ?? rules[key]));
}
