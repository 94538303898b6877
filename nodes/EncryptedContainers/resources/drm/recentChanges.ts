import { createHash } from 'crypto';

import { UserError } from 'n8n-workflow';

import type { DrmRules, ShownRules } from '../../../shared/api/drmRules';
import { fetchShownRules } from '../../../shared/api/drmRules';
import { parseRule, RULE_KEYS, toCanonicalRule } from '../../../shared/api/ruleValues';
import type { ServiceClient } from '../../../shared/client/client';

/** How long what this process changed counts, and for how many containers it is known. */
const MAX_AGE = 180_000;
const MAX_CONTAINERS = 10_000;
const MAX_STATES = 20;
/** How long a service can take until a read shows the last change. */
const MAX_LAG = 10_000;
const FIRST_PAUSE = 250;

/** What reads and changes the rules of a container. */
export interface RulesCall {
	client: ServiceClient;
	containerId: string;
	/** For messages. */
	containerName?: string;
	/** Base URL and API key: who sees which containers. */
	scope: string;
	/** @throws the reason of a cancellation */
	delay: (milliseconds: number) => Promise<unknown>;
}

/** The last change of a container's rules by this process. */
interface Change {
	/** Hashes of the rules as they were before it, and before those shortly before it. */
	replaced: Set<string>;
	expiresAt: number;
}

/** In the order of the changes. */
const changes = new Map<string, Change>();

/**
 * Reads the current rules of a container. A service with replicas or a cache can still show them as they were before the
 * last change, which a new change would undo then: they are read again, for up to ten seconds.
 *
 * @param needs as in fetchShownRules
 * @throws UserError when the service still shows the old ones
 */
export async function readCurrentRules(call: RulesCall, needs: string[]): Promise<ShownRules> {
	const replaced = findChange(toKey(call))?.replaced;
	const isReplaced = (rules: DrmRules) => replaced?.has(toHash(rules)) ?? false;
	const { shown, isOld } = await readUntilNew(call, needs, isReplaced);
	if (!isOld) return shown;
	throw new UserError(
		`The service still shows the rules of ${describeContainer(call)} as they were before the last change`,
		{
			description:
				'Nothing was sent, because it would undo that change. Reads of the service can lag behind its changes, or another program restored the old rules. Run the workflow again in a few minutes.',
		},
	);
}

/** Reads the rules after a change, likewise, but returns the old ones where the service still shows them. */
export async function readChangedRules(
	call: RulesCall,
	before: DrmRules | undefined,
): Promise<ShownRules> {
	const isBefore = (rules: DrmRules) => before !== undefined && isSameState(rules, before);
	return (await readUntilNew(call, [], isBefore)).shown;
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
 */
export function rememberChange(
	call: RulesCall,
	before: DrmRules | undefined,
	sent: DrmRules,
	shown?: DrmRules,
): void {
	const key = toKey(call);
	const replaced = findChange(key)?.replaced ?? new Set();
	changes.delete(key);
	// What this change replaced is not known, and it can have restored any rules.
	if (before === undefined) return;
	// Of a rule that the service doesn't show, nobody can see that it changed.
	const visible =
		shown ?? Object.fromEntries(Object.entries(sent).filter(([name]) => name in before));
	replaced.add(toHash(before));
	replaced.delete(toHash({ ...before, ...visible }));
	const [oldestState] = replaced;
	if (replaced.size > MAX_STATES) replaced.delete(oldestState);
	changes.set(key, { replaced, expiresAt: Date.now() + MAX_AGE });
	for (const [oldest, { expiresAt }] of changes) {
		if (changes.size <= MAX_CONTAINERS && expiresAt > Date.now()) break;
		changes.delete(oldest);
	}
}

/** The name, where it is known, and the ID. */
export function describeContainer({ client, containerId, containerName }: RulesCall): string {
	const id = client.redactLine(containerId);
	return containerName === undefined
		? `the container "${id}"`
		: `"${client.redactLine(containerName)}" (${id})`;
}

async function readUntilNew(
	call: RulesCall,
	needs: string[],
	isOldState: (rules: DrmRules) => boolean,
): Promise<{ shown: ShownRules; isOld: boolean }> {
	const { client, containerId, delay } = call;
	for (let waited = 0, pause = FIRST_PAUSE; ; waited += pause, pause *= 2) {
		const shown = await fetchShownRules(client, containerId, needs);
		const isOld = isOldState(shown.rules);
		if (!isOld || waited >= MAX_LAG) return { shown, isOld };
		pause = Math.min(pause, MAX_LAG - waited);
		await delay(pause);
	}
}

function findChange(key: string): Change | undefined {
	const change = changes.get(key);
	return change !== undefined && change.expiresAt > Date.now() ? change : undefined;
}

/** Without the key in clear text. */
function toKey({ scope, containerId }: RulesCall): string {
	return hash(JSON.stringify([scope, containerId]));
}

/** Forms of one value are one: a change can need a rule in the documented form, and the next one not. */
function toHash(rules: DrmRules): string {
	const texts = RULE_KEYS.map((key) => toCanonicalRule(parseRule(key, rules[key]) ?? rules[key]));
	return hash(texts.join('\n'));
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64');
}
