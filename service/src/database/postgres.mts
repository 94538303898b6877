import { PostgresDialect } from 'kysely';
import type pg from 'pg';

/** PostgreSQL's number of the type int8. */
const INT8 = 20;

/** @param onError gets the failures of idle connections; the next query connects again */
export async function createPostgresDialect(
	url: string,
	onError: (error: Error) => void,
): Promise<PostgresDialect> {
	const { default: driver } = await import('pg');
	const getTypeParser = ((oid: number, format?: 'text') =>
		oid === INT8
			? Number
			: driver.types.getTypeParser(oid, format)) as typeof driver.types.getTypeParser;
	const pool: pg.Pool = new driver.Pool({
		connectionString: url,
		max: 10,
		connectionTimeoutMillis: 10_000,
		types: { getTypeParser },
	});
	pool.on('error', onError);
	return new PostgresDialect({ pool });
}
