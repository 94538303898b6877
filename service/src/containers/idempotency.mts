import { createHmac, randomUUID } from 'node:crypto';
import { claimKey, freeKey, LEASE_MS, updateKey } from '../database/idempotencyKeys.mts';
import type { Queries } from '../database/schema.mts';
import { invalid, ServiceError } from '../errors.mts';
import { deriveKey, type MasterKey } from './masterKeys.mts';
import type { Vault } from './vault.mts';

export type KeyedRequest = ReturnType<typeof toKeyedRequest>;

/** @param facts what a request that comes with the same key must have in common with the first one */
export const toKeyedRequest = (userId: string, key: string, facts: string[]) => ({
	claim: { user_id: userId, key, holder: randomUUID() },
	facts,
});

/** Keyed, because a manifest can hold a password that is short enough to be guessed. */
const toMac = (key: MasterKey, facts: string[]) =>
	createHmac('sha256', deriveKey(key, 'idempotency'))
		.update(JSON.stringify(facts))
		.digest('base64url');

const inProgress = (message: string, retryAfter: number) =>
	new ServiceError(409, 'in_progress', message, { retryAfter });

/** @returns the response of the request that had the key before; nothing where this is the first */
export async function findEarlierResponse(
	{ database, keys }: Vault,
	{ claim, facts }: KeyedRequest,
	hashFiles?: () => Promise<string[]>,
) {
	const current = keys.current();
	const earlier = await claimKey(database, claim, `${current.id} ${toMac(current, facts)}`);
	if (earlier === undefined) return undefined;
	const { fingerprint, response, lease_until } = earlier;
	const [keyId, mac, macOfFiles] = fingerprint.split(' ');
	const key = keys.find(keyId);
	if (key === undefined || toMac(key, facts) !== mac) {
		throw invalid({ 'Idempotency-Key': 'was used for another request' });
	}
	if (response === null) {
		const seconds = Math.max(Math.ceil((lease_until - Date.now()) / 1000), 1);
		throw inProgress('A request with this Idempotency-Key is still running.', seconds);
	}
	const hashes = (await hashFiles?.()) ?? [];
	if (toMac(key, hashes) !== macOfFiles) {
		throw invalid({ 'Idempotency-Key': 'was used with other files' });
	}
	return JSON.parse(response) as object;
}

/** Keeps the key from others while `run` goes on, and frees it where that fails. */
export async function holdKey<Result>(
	{ database }: Vault,
	{ claim }: KeyedRequest,
	run: () => Promise<Result>,
): Promise<Result> {
	const renew = async () =>
		await updateKey(database, claim, { lease_until: Date.now() + LEASE_MS });
	const lease = setInterval(() => void renew().catch(() => undefined), LEASE_MS / 3);
	try {
		return await run();
	} catch (error) {
		await freeKey(database, claim);
		throw error;
	} finally {
		clearInterval(lease);
	}
}

/** Keeps the response for whoever comes with the key again. To be called in the transaction that it speaks of. */
export async function keepResponse(
	queries: Queries,
	key: MasterKey,
	{ claim, facts }: KeyedRequest,
	{ response, hashes = [] }: { response: object; hashes?: string[] },
): Promise<void> {
	const fingerprint = `${key.id} ${toMac(key, facts)} ${toMac(key, hashes)}`;
	const change = { response: JSON.stringify(response), fingerprint };
	if (await updateKey(queries, claim, change)) return;
	throw inProgress('Another request now uses this Idempotency-Key.', 1);
}
