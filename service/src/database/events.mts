import { sql, type Insertable, type Updateable } from 'kysely';
import { EVENT_CHANNEL } from './eventWatch.mts';
import { isPostgres, type EventRow, type Queries, type TrailRow } from './schema.mts';
import type { Tables } from './schema.mts';

/** Transactions on one subject take turns from here on. In SQLite, all do from their beginning. */
export async function takeTurns(queries: Queries, subject: string): Promise<void> {
	if (!isPostgres(queries)) return;
	await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(queries);
}

/**
 * Reads the trail of an owner, and keeps others from it until the transaction ends. It also holds the order: in
 * PostgreSQL, transactions can end in another one than their numbers, and who reads on would miss an event.
 */
export async function lockTrail(queries: Queries, ownerId: string): Promise<TrailRow | undefined> {
	await takeTurns(queries, ownerId);
	return await findTrail(queries, ownerId);
}

export async function findTrail(queries: Queries, ownerId: string): Promise<TrailRow | undefined> {
	const trails = queries.selectFrom('trails').selectAll().where('owner_id', '=', ownerId);
	return await trails.executeTakeFirst();
}

export async function writeTrail(queries: Queries, trail: TrailRow): Promise<void> {
	const insert = queries.insertInto('trails').values(trail);
	await insert.onConflict((conflict) => conflict.column('owner_id').doUpdateSet(trail)).execute();
}

/** In PostgreSQL, an ID can be taken by a transaction that fails: it has a hole there. */
export async function takeEventId(queries: Queries): Promise<number> {
	if (!isPostgres(queries)) return (await readNewestId(queries)) + 1;
	const next = sql<{ id: number }>`select nextval(pg_get_serial_sequence('events', 'seq')) as id`;
	return (await next.execute(queries)).rows[0].id;
}

/** The highest ID that was ever given out, whether or not its event is still there. */
export async function readNewestId(queries: Queries): Promise<number> {
	const newest = isPostgres(queries)
		? sql<Newest>`select pg_sequence_last_value(pg_get_serial_sequence('events', 'seq')::regclass) as id`
		: sql<Newest>`select max(seq) as id from sqlite_sequence where name = 'events'`;
	return (await newest.execute(queries)).rows[0].id ?? 0;
}

type Newest = { id: number | null };

type NewRow = Insertable<Tables['events']> & { seq: number };

/** The number is part of what the trail proves: it is taken before. */
export async function insertEvent(queries: Queries, row: NewRow): Promise<void> {
	const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
	const values = sql.join(Object.values(row));
	const own = isPostgres(queries) ? sql`overriding system value` : sql``;
	await sql`insert into events (${columns}) ${own} values (${values})`.execute(queries);
	await announceEvent(queries, row.owner_id);
}

/** Once the transaction is committed. In SQLite, the commit itself tells it. */
async function announceEvent(queries: Queries, ownerId: string): Promise<void> {
	if (!isPostgres(queries)) return;
	await sql`select pg_notify(${EVENT_CHANNEL}, ${ownerId})`.execute(queries);
}

export async function updateEvent(queries: Queries, seq: number, change: Change): Promise<void> {
	await queries.updateTable('events').set(change).where('seq', '=', seq).execute();
}

type Change = Updateable<Tables['events']>;

export async function deleteEventsUpTo(queries: Queries, ownerId: string, seq: number) {
	const events = queries.deleteFrom('events').where('owner_id', '=', ownerId);
	await events.where('seq', '<=', seq).execute();
}

/** The events of an owner after a number, oldest first. */
export async function readEventsAfter(queries: Queries, ownerId: string, after: number) {
	const events = queries.selectFrom('events').selectAll().where('owner_id', '=', ownerId);
	return await events.where('seq', '>', after).orderBy('seq').limit(PAGE).execute();
}

const PAGE = 1000;

export async function findEvent(queries: Queries, ownerId: string, id: number) {
	const events = queries.selectFrom('events').selectAll().where('owner_id', '=', ownerId);
	return (await events.where('seq', '=', id).executeTakeFirst()) as EventRow | undefined;
}
