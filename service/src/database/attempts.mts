import { randomUUID } from 'node:crypto';
import type { Queries } from './schema.mts';

export const HOUR_MS = 60 * 60 * 1000;

/**
 * Counts an attempt, such as a request for a code, before it is made.
 *
 * @returns its ID; nothing where there were `limit` within the last hour
 */
export async function addAttempt(
	queries: Queries,
	subject: string,
	limit: number,
): Promise<string | undefined> {
	const now = Date.now();
	const id = randomUUID();
	await queries.insertInto('attempts').values({ id, subject, made_at: now }).execute();
	const { count } = await queries
		.selectFrom('attempts')
		.select((column) => column.fn.countAll<number>().as('count'))
		.where('subject', '=', subject)
		.where('made_at', '>', now - HOUR_MS)
		.executeTakeFirstOrThrow();
	if (Number(count) <= limit) return id;
	await removeAttempt(queries, id);
	return undefined;
}

/** Takes an attempt back that did not fail. */
export async function removeAttempt(queries: Queries, id: string): Promise<void> {
	await queries.deleteFrom('attempts').where('id', '=', id).execute();
}
