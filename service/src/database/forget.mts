import { sql } from 'kysely';
import { isPostgres, type Database } from './schema.mts';

const RETRY_MS = 1000;
const waiting = new WeakSet<Database>();

/**
 * SQLite's log holds what was deleted until it is written back and cut. To be called after the transaction.
 * While another process reads an older state, that can't be done: it is tried again, and nobody waits for it.
 */
export async function forgetDeleted(database: Database): Promise<void> {
	if (isPostgres(database) || (await cutLog(database)) || waiting.has(database)) return;
	waiting.add(database);
	const retry = () => {
		waiting.delete(database);
		forgetDeleted(database).catch(() => undefined);
	};
	setTimeout(retry, RETRY_MS).unref();
}

/** @returns whether nothing is left in the log */
async function cutLog(database: Database): Promise<boolean> {
	return await database.connection().execute(async (connection) => {
		const { rows } = await sql<{ timeout: number }>`pragma busy_timeout`.execute(connection);
		await sql`pragma busy_timeout = 0`.execute(connection);
		try {
			const cut = sql<{ busy: number }>`pragma wal_checkpoint(truncate)`;
			const [{ busy }] = (await cut.execute(connection)).rows;
			return busy === 0;
		} finally {
			await sql`pragma busy_timeout = ${sql.raw(String(rows[0].timeout))}`.execute(connection);
		}
	});
}
