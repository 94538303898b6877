import type { Database } from './schema.mts';

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** Removes what is kept for a time only. */
export async function removeExpired(database: Database, eventsDays: number): Promise<void> {
	const now = Date.now();
	const oldest = new Date(now - eventsDays * DAY_MS).toISOString();
	await database.deleteFrom('events').where('created_date', '<', oldest).execute();
	await database.deleteFrom('codes').where('expires_at', '<', now).execute();
	await database
		.deleteFrom('attempts')
		.where('made_at', '<', now - HOUR_MS)
		.execute();
	await database
		.deleteFrom('idempotency_keys')
		.where('created_at', '<', now - DAY_MS)
		.execute();
}
