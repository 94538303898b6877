import { createHash } from 'crypto';

import type { DrmRules } from '../../../shared/api/drmRules';
import { parseRule, RULE_KEYS, toCanonicalRule } from '../../../shared/api/ruleValues';
import { RecentValues } from '../../../shared/client/recentValues';
import { parseServiceDate } from '../../../shared/parameters/dates';
import { isRecord } from '../../../shared/responses/shapes';

/** How long what this process changed counts, in milliseconds, and how many changes of a container. */
const MAX_AGE = 180_000;
const MAX_STATES = 20;

/** By container: hashes of its rules as they were before the last changes, the oldest first. */
const changes = new RecentValues<{ replaced: Set<string>; lost?: string }>(MAX_AGE);

/** Whether this process has just replaced these rules; for certain, where the response to the change was not lost. */
export function isReplaced(key: string, rules: DrmRules, isCertain: boolean): boolean {
	const { replaced, lost } = changes.get(key) ?? {};
	const hash = toHash(rules);
	return replaced?.has(hash) === true && !(isCertain && lost === hash);
}

export function isSameState(one: DrmRules, other: DrmRules): boolean {
	return toHash(one) === toHash(other);
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
	const hash = toHash(before);
	const replaced = changes.get(key)?.replaced ?? new Set();
	// A day that shows as a moment does so again.
	const isSame = isSameState(withDays(before), withDays(after));
	replaced.add(hash).delete(toHash(isSame ? before : after));
	const [oldestState] = replaced;
	if (replaced.size > MAX_STATES) replaced.delete(oldestState);
	changes.set(key, { replaced, lost: isLost ? hash : undefined }, replaced.size * 150);
}

function withDays({ time, ...others }: DrmRules): DrmRules {
	const days = Object.entries(isRecord(time) ? time : {}).map(([name, day]) => [
		name,
		parseServiceDate(day) ?? day,
	]);
	return { ...others, time: isRecord(time) ? Object.fromEntries(days) : time } as DrmRules;
}

/** Forms of one value are one: a change can need a rule in the documented form, and the next one not. */
function toHash(rules: DrmRules): string {
	const texts = RULE_KEYS.map((key) => toCanonicalRule(parseRule(key, rules[key]) ?? rules[key]));
	return createHash('sha256').update(texts.join('\n')).digest('base64');
}
