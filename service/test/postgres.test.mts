import { Kysely, sql } from 'kysely';
import { createPostgres } from '../src/database/postgres.mts';
import { createBackend, usesServers } from './support/service.mts';

const onServers = usesServers ? it : it.skip;

onServers('a connection on which PostgreSQL is silent for too long is given up', async () => {
	const { database: url } = await createBackend();
	const database = new Kysely({ dialect: await createPostgres(url, 500) });
	const start = performance.now();
	await expect(sql`select pg_sleep(20)`.execute(database)).rejects.toThrow('no answer in time');
	expect(performance.now() - start).toBeLessThan(10_000);
	const { rows } = await sql`select 1 as one`.execute(database);
	expect(rows).toEqual([{ one: 1 }]);
	await database.destroy();
});
