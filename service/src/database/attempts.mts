import { createHash, randomUUID } from 'node:crypto';
import { HOUR_MS } from './retention.mts';
import type { Queries } from './schema.mts';

/**
 * Counts an attempt, such as a request for a code, before it is made.
 *
 * @returns its ID; nothing where there were `limit` within the last hour
 */
export async function addAttempt(queries: Queries, what: string, limit: number) {
	const [id, made_at] = [randomUUID(), Date.now()];
	// Only compared, so no address is stored for it.
	const subject = createHash('sha256').update(what).digest('base64url');
	await queries.insertInto('attempts').values({ id, subject, made_at }).execute();
	const { count } = await queries
		.selectFrom('attempts')
		.select(({ fn }) => fn.countAll<number>().as('count'))
		.where('subject', '=', subject)
		.where('made_at', '>', made_at - HOUR_MS)
		.executeTakeFirstOrThrow();
	if (count <= limit) return id;
	await removeAttempt(queries, id);
	return undefined;
}

/** Takes an attempt back that did not fail. */
export async function removeAttempt(queries: Queries, id: string): Promise<void> {
	await queries.deleteFrom('attempts').where('id', '=', id).execute();
}
