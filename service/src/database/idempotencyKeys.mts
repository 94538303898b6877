import { sql } from 'kysely';
import { DAY_MS } from './limits.mts';
import type { Queries } from './schema.mts';

export const LEASE_MS = 30_000;

export type Claim = { user_id: string; key: string; holder: string };

/** @returns the request that has the key; nothing where the key is now this run's */
export async function claimKey(queries: Queries, claim: Claim, fingerprint: string) {
	const { user_id, key } = claim;
	const now = Date.now();
	// A key is free after a day, or when whoever ran its request is gone.
	const free = sql`delete from idempotency_keys where user_id = ${user_id} and key = ${key}
		and (created_at < ${now - DAY_MS} or (response is null and lease_until < ${now}))`;
	await free.execute(queries);
	const row = { ...claim, fingerprint, response: null, created_at: now };
	const values = { ...row, lease_until: now + LEASE_MS };
	const insert = queries.insertInto('idempotency_keys').values(values).returning('key');
	const taken = insert.onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing());
	if (await taken.executeTakeFirst()) return undefined;
	const rows = queries.selectFrom('idempotency_keys').selectAll();
	return await rows.where(({ and }) => and({ user_id, key })).executeTakeFirst();
}

type Change = { lease_until: number } | { response: string; fingerprint: string };

export async function updateKey(queries: Queries, claim: Claim, change: Change): Promise<boolean> {
	const own = queries.updateTable('idempotency_keys').where(({ and }) => and({ ...claim }));
	return (await own.set(change).executeTakeFirst()).numUpdatedRows === 1n;
}

export async function freeKey(queries: Queries, { holder }: Claim): Promise<void> {
	const query = queries.deleteFrom('idempotency_keys').where('holder', '=', holder);
	await query.where('response', 'is', null).execute();
}
