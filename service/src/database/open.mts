import { join } from 'node:path';
import { Kysely } from 'kysely';
import { migrate } from './migrations.mts';
import type { Database, Tables } from './schema.mts';

interface DatabaseOptions {
	/** Of PostgreSQL. Without it, the database is a SQLite file in the folder. */
	url?: string;
	folder: string;
	onError: (error: Error) => void;
}

/** Opens the database in its newest version. */
export async function openDatabase({ url, folder, onError }: DatabaseOptions): Promise<Database> {
	const dialect =
		url === undefined
			? (await import('./sqlite.mts')).createSqliteDialect(join(folder, 'service.db'))
			: await (await import('./postgres.mts')).createPostgresDialect(url, onError);
	const database = new Kysely<Tables>({ dialect });
	await migrate(database, url === undefined ? 'sqlite' : 'postgres');
	return database;
}
