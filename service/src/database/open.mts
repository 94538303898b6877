import { join } from 'node:path';
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import { migrate } from './migrations.mts';
import type { Database, Tables } from './schema.mts';

/** PostgreSQL's number of the type int8. */
const INT8 = 20;

/** Opens PostgreSQL, or a SQLite file in the folder, in the newest version. */
export async function openDatabase(url: string | undefined, folder: string): Promise<Database> {
	const dialect = url === undefined ? await createSqlite(folder) : await createPostgres(url);
	const database = new Kysely<Tables>({ dialect });
	await migrate(database, url === undefined ? 'sqlite' : 'postgres');
	return database;
}

async function createSqlite(folder: string): Promise<SqliteDialect> {
	const { openSqlite } = await import('./sqlite.mts');
	return new SqliteDialect({ database: openSqlite(join(folder, 'service.db')) });
}

async function createPostgres(connectionString: string): Promise<PostgresDialect> {
	const { Pool, types } = (await import('pg')).default;
	const getTypeParser = ((oid: number, format: 'text') =>
		oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser;
	const limits = { max: 10, connectionTimeoutMillis: 10_000 };
	const pool = new Pool({ connectionString, ...limits, types: { getTypeParser } });
	// A connection that breaks while nobody uses it: the next query connects again.
	pool.on('error', () => undefined);
	return new PostgresDialect({ pool });
}
