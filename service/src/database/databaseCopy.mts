import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { DATABASE_FILE } from './open.mts';
import { readNewestId } from './events.mts';
import { isPostgres, type Database, type Queries } from './schema.mts';

/** Where a database is, in a folder, until all that belongs to it is there. */
const INCOMPLETE = 'incomplete';
const SKIPPED_IDS = 1_000_000;

/** Writes a consistent copy of a database in SQLite to a file, while others write to it. */
export async function copyDatabase(database: Database, file: string): Promise<void> {
	writeFileSync(file, '', { mode: 0o600 });
	await sql`vacuum into ${file}`.execute(database);
}

/** Makes a folder in which a database is prepared. What an earlier try left is removed. */
export function createIncomplete(folder: string): string {
	const incomplete = join(folder, INCOMPLETE);
	rmSync(incomplete, { recursive: true, force: true });
	mkdirSync(incomplete, { recursive: true, mode: 0o700 });
	return incomplete;
}

/** The last step: only now, the folder has a database. */
export async function finishIncomplete(database: Database, folder: string): Promise<void> {
	// What SQLite keeps in files beside it becomes a part of it.
	await sql`pragma journal_mode = delete`.execute(database);
	await database.destroy();
	const incomplete = join(folder, INCOMPLETE);
	chmodSync(join(incomplete, DATABASE_FILE), 0o600);
	renameSync(join(incomplete, DATABASE_FILE), join(folder, DATABASE_FILE));
	rmSync(incomplete, { recursive: true, force: true });
}

/** So that no event gets the ID of one that came after the backup, and that a client has seen. */
export async function skipEventIds(queries: Queries): Promise<void> {
	const newest = (await readNewestId(queries)) + SKIPPED_IDS;
	if (isPostgres(queries)) {
		await sql`select setval(pg_get_serial_sequence('events', 'seq'), ${newest})`.execute(queries);
		return;
	}
	await sql`delete from sqlite_sequence where name = 'events'`.execute(queries);
	await sql`insert into sqlite_sequence (name, seq) values ('events', ${newest})`.execute(queries);
}
