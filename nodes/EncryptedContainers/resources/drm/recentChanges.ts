import { createHash } from 'crypto';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule, RULE_KEYS, toCanonicalRule } from '../../../shared/api/ruleValues';
import { RecentValues } from '../../../shared/client/recentValues';

/** How long what this process changed counts, in milliseconds, and how many changes of a container. */
const MAX_AGE = 180_000;
const MAX_STATES = 20;

/** Hashes of the rules of a container as they were before the last changes, in the order of the changes. */
const changes = new RecentValues<{ replaced: Set<string>; lost?: string }>(MAX_AGE);

/**
 * Whether this process has just replaced these rules.
 *
 * @param key the container of a service
 * @param isCertain whether a change whose response was lost doesn't count
 */
export function isReplaced(key: string, rules: DrmRules, isCertain: boolean): boolean {
	const { replaced, lost } = changes.get(key) ?? {};
	const hash = toHash(rules);
	return replaced?.has(hash) === true && !(isCertain && lost === hash);
}

export function isSameState(one: DrmRules, other: DrmRules): boolean {
	return toHash(one) === toHash(other);
}

/**
 * Remembers a change of the rules, so that a later read can be told from one of before.
 *
 * @param before the rules as they were read; unknown where they were not
 * @param isLost whether nobody knows if the change was made
 */
export function rememberChange(
	key: string,
	before: DrmRules | undefined,
	after: DrmRules,
	isLost: boolean,
): void {
	const replaced = changes.get(key)?.replaced ?? new Set();
	changes.delete(key);
	// What this change replaced is not known, and it can have restored any rules.
	if (before === undefined) return;
	const hash = toHash(before);
	replaced.add(hash).delete(toHash(after));
	const [oldestState] = replaced;
	if (replaced.size > MAX_STATES) replaced.delete(oldestState);
	const bytes = replaced.size * 150;
	changes.set(key, { replaced, lost: isLost ? hash : undefined }, bytes);
}

/** Forms of one value are one: a change can need a rule in the documented form, and the next one not. */
function toHash(rules: DrmRules): string {
	const texts = RULE_KEYS.map((key) => toCanonicalRule(parseRule(key, rules[key]) ?? rules[key]));
	return createHash('sha256').update(texts.join('\n')).digest('base64');
}
