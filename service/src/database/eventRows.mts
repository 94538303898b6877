import { sql } from 'kysely';
import type { PageRequest } from './containerRows.mts';
import type { EventRow, Queries } from './schema.mts';

export type Action =
	'container.create' | 'container.open' | 'container.refuse' | 'container.delete' | 'drm.update';

export interface NewEvent {
	action: Action;
	container: { id: string; owner_id: string; name: string };
	/** The address of whoever did it. */
	user: string;
	detail: { ip?: string; country?: string; reason?: string; changed?: string[] };
}

/**
 * Writes an event. In PostgreSQL, transactions can end in another order than their numbers, and who reads on from
 * the last event would miss one: so those of one owner take turns from here to the end of the transaction.
 */
export async function addEvent(
	queries: Queries,
	{ action, container, user, detail }: NewEvent,
): Promise<void> {
	if (queries.getExecutor().adapter.supportsTransactionalDdl) {
		await sql`select pg_advisory_xact_lock(hashtextextended(${container.owner_id}, 0))`.execute(
			queries,
		);
	}
	await queries
		.insertInto('events')
		.values({
			owner_id: container.owner_id,
			created_date: new Date().toISOString(),
			action,
			container_id: container.id,
			container_name: container.name,
			user,
			detail: JSON.stringify(detail),
		})
		.execute();
}

interface EventFilter {
	createdAfter?: string;
	/** The sequence number of the last event seen. */
	newerThan?: number;
}

export async function listEvents(
	queries: Queries,
	{ ownerId, containerId }: { ownerId: string; containerId?: string },
	{ createdAfter, newerThan }: EventFilter,
	{ limit, order, after }: PageRequest,
): Promise<EventRow[]> {
	let query = queries.selectFrom('events').selectAll().where('owner_id', '=', ownerId);
	if (containerId !== undefined) query = query.where('container_id', '=', containerId);
	if (createdAfter !== undefined) query = query.where('created_date', '>', createdAfter);
	if (newerThan !== undefined) query = query.where('seq', '>', newerThan);
	if (after !== undefined) query = query.where('seq', order === 'asc' ? '>' : '<', after);
	return await query.orderBy('seq', order).limit(limit).execute();
}
