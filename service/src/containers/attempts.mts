import { createHmac } from 'node:crypto';
import { addAttempts, insertAttempts, readLimits } from '../database/limits.mts';
import type { Queries } from '../database/schema.mts';
import { deriveKey, type MasterKeys } from './masterKeys.mts';
import type { Vault } from './vault.mts';

export interface Attempt {
	id: string;
	/** What is limited, in words. */
	what: string;
	/** How many are possible within an hour, or the time that is given. */
	limit: number;
	withinMs?: number;
}

/**
 * Counts attempts before what they are for is tried: all of them, or none where one is beyond its limit.
 * @returns how many milliseconds it takes until they are possible; 0 where they are counted
 */
export async function countAttempts({ database, keys }: Vault, attempts: Attempt[]) {
	return await addAttempts(database, toCounted(keys, attempts));
}

/** Like `countAttempts`, in the transaction of what they are for. */
export async function countAttemptsWith(queries: Queries, { keys }: Vault, attempts: Attempt[]) {
	return await insertAttempts(queries, toCounted(keys, attempts));
}

/** How many are left of attempts that were counted, and how long to wait where there are none. */
export async function readAttempts(vault: Vault, attempts: Attempt[]) {
	const read = async (queries: Queries) => await readAttemptsWith(queries, vault, attempts);
	return await vault.database.transaction().execute(read);
}

/** Like `readAttempts`, in a transaction. */
export async function readAttemptsWith(queries: Queries, { keys }: Vault, attempts: Attempt[]) {
	return await readLimits(queries, toCounted(keys, attempts));
}

function toCounted(keys: MasterKeys, attempts: Attempt[]) {
	const key = deriveKey(keys.current(), 'limit');
	return attempts.map(({ what, ...rest }) => ({ ...rest, subject: toSubject(key, what) }));
}

/** Keyed: addresses and networks are few enough to try all of them against a plain hash. */
const toSubject = (key: Buffer, what: string) =>
	createHmac('sha256', key).update(what).digest('base64url');
