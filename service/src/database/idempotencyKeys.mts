import { DAY_MS } from './limits.mts';
import type { Queries } from './schema.mts';

export const LEASE_MS = 30_000;

/** One run of a request with an idempotency key. */
export type Claim = { user_id: string; key: string; holder: string };

/** @returns the request that has the key; nothing where the key is now this run's */
export async function claimKey(queries: Queries, claim: Claim, fingerprint: string) {
	const { user_id, key } = claim;
	const now = Date.now();
	// A key is free after a day, or when whoever ran its request is gone.
	await queries
		.deleteFrom('idempotency_keys')
		.where((column) => column.and({ user_id, key }))
		.where((column) => {
			const isGone = column.and([column('response', 'is', null), column('lease_until', '<', now)]);
			return column.or([isGone, column('created_at', '<', now - DAY_MS)]);
		})
		.execute();
	const taken = await queries
		.insertInto('idempotency_keys')
		.values({ ...claim, fingerprint, lease_until: now + LEASE_MS, response: null, created_at: now })
		.onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
		.returning('holder')
		.executeTakeFirst();
	const rows = queries.selectFrom('idempotency_keys').selectAll();
	return taken
		? undefined
		: await rows.where(({ and }) => and({ user_id, key })).executeTakeFirst();
}

/** @returns whether the key was still this run's */
export async function updateKey(
	queries: Queries,
	claim: Claim,
	change: { lease_until: number } | { response: string },
): Promise<boolean> {
	const own = queries.updateTable('idempotency_keys').where(({ and }) => and({ ...claim }));
	return (await own.set(change).executeTakeFirst()).numUpdatedRows === 1n;
}

/** Lets a request that failed be sent again. */
export async function freeKey(queries: Queries, { holder }: Claim): Promise<void> {
	const query = queries.deleteFrom('idempotency_keys').where('holder', '=', holder);
	await query.where('response', 'is', null).execute();
}
