import type { Queries } from './schema.mts';

export const LEASE_MS = 30_000;
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Who runs a request with an idempotency key. */
export interface Claim {
	userId: string;
	key: string;
	/** A name of this one run. */
	holder: string;
}

export interface EarlierRequest {
	fingerprint: string;
	/** JSON; null while it runs. */
	response: string | null;
	leaseUntil: number;
}

/** @returns the request that has the key, or nothing where the key is now this one's */
export async function claimKey(
	queries: Queries,
	{ userId, key, holder }: Claim,
	fingerprint: string,
): Promise<EarlierRequest | undefined> {
	const now = Date.now();
	const row = { fingerprint, holder, lease_until: now + LEASE_MS, response: null, created_at: now };
	const taken = await queries
		.insertInto('idempotency_keys')
		.values({ user_id: userId, key, ...row })
		.onConflict((conflict) =>
			conflict
				.columns(['user_id', 'key'])
				.doUpdateSet(row)
				.where((column) =>
					column.or([
						column('idempotency_keys.created_at', '<', now - KEPT_MS),
						// Whoever ran it is gone.
						column.and([
							column('idempotency_keys.response', 'is', null),
							column('idempotency_keys.lease_until', '<', now),
						]),
					]),
				),
		)
		.returning('holder')
		.executeTakeFirst();
	if (taken !== undefined) return undefined;
	const query = queries
		.selectFrom('idempotency_keys')
		.where('user_id', '=', userId)
		.where('key', '=', key);
	const found = await query.selectAll().executeTakeFirst();
	// It failed, and freed its key, since.
	if (found === undefined) return await claimKey(queries, { userId, key, holder }, fingerprint);
	return {
		fingerprint: found.fingerprint,
		response: found.response,
		leaseUntil: found.lease_until,
	};
}

const own = (queries: Queries, { userId, key, holder }: Claim) => ({
	update: queries
		.updateTable('idempotency_keys')
		.where('user_id', '=', userId)
		.where('key', '=', key)
		.where('holder', '=', holder),
	remove: queries
		.deleteFrom('idempotency_keys')
		.where('user_id', '=', userId)
		.where('key', '=', key)
		.where('holder', '=', holder),
});

export async function extendLease(queries: Queries, claim: Claim): Promise<void> {
	await own(queries, claim)
		.update.set({ lease_until: Date.now() + LEASE_MS })
		.execute();
}

/** @returns whether the key was still this run's */
export async function storeResponse(
	queries: Queries,
	claim: Claim,
	response: string,
): Promise<boolean> {
	const { numUpdatedRows } = await own(queries, claim).update.set({ response }).executeTakeFirst();
	return numUpdatedRows === 1n;
}

export async function freeKey(queries: Queries, claim: Claim): Promise<void> {
	await own(queries, claim).remove.where('response', 'is', null).execute();
}
