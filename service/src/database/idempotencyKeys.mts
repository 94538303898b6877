import { DAY_MS } from './retention.mts';
import type { Queries } from './schema.mts';

export const LEASE_MS = 30_000;

/** One run of a request with an idempotency key. */
export interface Claim {
	user_id: string;
	key: string;
	holder: string;
}

/** @returns the request that has the key; nothing where the key is now this run's */
export async function claimKey(queries: Queries, claim: Claim, fingerprint: string) {
	const now = Date.now();
	const row = {
		...claim,
		fingerprint,
		lease_until: now + LEASE_MS,
		response: null,
		created_at: now,
	};
	const taken = await queries
		.insertInto('idempotency_keys')
		.values(row)
		.onConflict((conflict) =>
			conflict
				.columns(['user_id', 'key'])
				.doUpdateSet(row)
				.where(({ eb, or, and }) => {
					const isOver = eb('idempotency_keys.created_at', '<', now - DAY_MS);
					const isRunning = eb('idempotency_keys.response', 'is', null);
					// Whoever ran it is gone.
					return or([isOver, and([isRunning, eb('idempotency_keys.lease_until', '<', now)])]);
				}),
		)
		.returning('holder')
		.executeTakeFirst();
	if (taken !== undefined) return undefined;
	const query = queries.selectFrom('idempotency_keys').selectAll();
	return await query
		.where('user_id', '=', claim.user_id)
		.where('key', '=', claim.key)
		.executeTakeFirst();
}

/** @returns whether the key was still this run's */
export async function updateKey(
	queries: Queries,
	{ user_id, key, holder }: Claim,
	change: { lease_until: number } | { response: string },
): Promise<boolean> {
	const { numUpdatedRows } = await queries
		.updateTable('idempotency_keys')
		.set(change)
		.where('user_id', '=', user_id)
		.where('key', '=', key)
		.where('holder', '=', holder)
		.executeTakeFirst();
	return numUpdatedRows === 1n;
}

/** Lets a request that failed be sent again. */
export async function freeKey(queries: Queries, { holder }: Claim): Promise<void> {
	const query = queries.deleteFrom('idempotency_keys').where('holder', '=', holder);
	await query.where('response', 'is', null).execute();
}
