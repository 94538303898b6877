import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { takeTurns } from './queries.mts';
import type { Queries } from './schema.mts';

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
export const CODE_LIFE_MS = 10 * 60 * 1000;
const MAX_TRIES = 5;

/** Counts an attempt before it is made, in a transaction. @returns its ID; nothing after `limit` within the last hour */
export async function addAttempt(queries: Queries, what: string, limit: number) {
	const id = randomUUID();
	const made_at = Date.now();
	// Only compared, so no address is stored for it.
	const subject = createHash('sha256').update(what).digest('base64url');
	await takeTurns(queries, subject);
	const recent = sql<{ count: number }>`select count(*) as count from attempts
		where subject = ${subject} and abs(made_at - ${made_at}) < ${HOUR_MS}`;
	const [{ count }] = (await recent.execute(queries)).rows;
	if (count >= limit) return undefined;
	await queries.insertInto('attempts').values({ id, subject, made_at }).execute();
	return id;
}

export async function removeAttempt(queries: Queries, id: string): Promise<void> {
	await queries.deleteFrom('attempts').where('id', '=', id).execute();
}

type Code = { container_id: string; address: string; hash: string };

export async function storeCode(queries: Queries, code: Code): Promise<void> {
	const row = { ...code, id: randomUUID(), tries: 0, expires_at: Date.now() + CODE_LIFE_MS };
	await queries.insertInto('codes').values(row).execute();
}

/** Uses a code up. A try counts before it is compared, so that many at once are no more than five. */
export async function useCode(queries: Queries, { container_id, address, hash }: Code) {
	const { rows } = await sql<{ id: string; hash: string }>`update codes set tries = tries + 1
		where container_id = ${container_id} and address = ${address}
		and tries < ${MAX_TRIES} and expires_at > ${Date.now()} returning id, hash`.execute(queries);
	const found = rows.find((row) => row.hash === hash);
	if (found === undefined) return false;
	const used = await queries.deleteFrom('codes').where('id', '=', found.id).executeTakeFirst();
	return used.numDeletedRows === 1n;
}
