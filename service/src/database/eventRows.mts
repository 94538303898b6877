import { sql } from 'kysely';
import { isPostgres, type Queries } from './schema.mts';

interface NewEvent {
	action: `container.${'create' | 'open' | 'refuse' | 'delete'}` | 'drm.update';
	container: { id: string; owner_id: string; name: string };
	/** The address of whoever did it. */
	user: string;
	detail: { ip?: string; country?: string; reason?: string; changed?: string[] };
}

/**
 * Writes an event. In PostgreSQL, transactions can end in another order than their numbers, and who reads on
 * from the last event would miss one: so those of one owner take turns until the transaction ends.
 */
export async function addEvent(queries: Queries, event: NewEvent): Promise<void> {
	const { action, container, user, detail } = event;
	const { id: container_id, owner_id, name: container_name } = container;
	if (isPostgres(queries)) {
		await sql`select pg_advisory_xact_lock(hashtextextended(${owner_id}, 0))`.execute(queries);
	}
	const when = { created_date: new Date().toISOString(), detail: JSON.stringify(detail) };
	const row = { ...when, owner_id, action, container_id, container_name, user };
	await queries.insertInto('events').values(row).execute();
}
