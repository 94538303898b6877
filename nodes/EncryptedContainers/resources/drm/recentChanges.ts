import { createHash } from 'crypto';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule, RULE_KEYS, toCanonicalRule } from '../../../shared/api/ruleValues';
import { RecentValues } from '../../../shared/client/recentValues';

/** How long what this process changed counts, and how many changes of a container. */
const MAX_AGE = 180_000;
const MAX_STATES = 20;

/** Of a hash in a set. */
const HASH_BYTES = 150;

/** Hashes of the rules of a container as they were before the last changes, in the order of the changes. */
const changes = new RecentValues<{ replaced: Set<string>; lost?: string }>(MAX_AGE);

/** Whether this process has just replaced these rules. @param key the container of a service */
export function isReplaced(key: string, rules: DrmRules): boolean {
	return changes.get(hash(key))?.replaced.has(toHash(rules)) ?? false;
}

/** As isReplaced, by a change whose response came: another one might not have been made. */
export function isCertainlyReplaced(key: string, rules: DrmRules): boolean {
	return isReplaced(key, rules) && changes.get(hash(key))?.lost !== toHash(rules);
}

/** Whether all rules mean the same. */
export function isSameState(one: DrmRules, other: DrmRules): boolean {
	return toHash(one) === toHash(other);
}

/**
 * Remembers a change of the rules, so that a later read can be told from one of before.
 *
 * @param before the rules as they were read; unknown where they were not
 * @param shown what the service showed of them afterwards, if anything
 * @param isCertain false where the response was lost
 */
export function rememberChange(
	key: string,
	before: DrmRules | undefined,
	sent: DrmRules,
	shown?: DrmRules,
	isCertain = true,
): void {
	const id = hash(key);
	const replaced = changes.get(id)?.replaced ?? new Set();
	changes.delete(id);
	// What this change replaced is not known, and it can have restored any rules.
	if (before === undefined) return;
	// Of a rule that the service doesn't show, nobody can see that it changed.
	const visible = Object.entries(sent).filter(([name]) => name in before);
	replaced.add(toHash(before));
	replaced.delete(toHash({ ...before, ...(shown ?? Object.fromEntries(visible)) }));
	const lost = isCertain ? undefined : toHash(before);
	const [oldestState] = replaced;
	if (replaced.size > MAX_STATES) replaced.delete(oldestState);
	changes.set(id, { replaced, lost }, replaced.size * HASH_BYTES);
}

/** Forms of one value are one: a change can need a rule in the documented form, and the next one not. */
function toHash(rules: DrmRules): string {
	const texts = RULE_KEYS.map((key) => toCanonicalRule(parseRule(key, rules[key]) ?? rules[key]));
	return hash(texts.join('\n'));
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64');
}
