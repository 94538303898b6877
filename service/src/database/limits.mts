import { sql } from 'kysely';
import { takeTurns } from './events.mts';
import type { Database, Queries } from './schema.mts';

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
export const CODE_LIFE_MS = 10 * 60 * 1000;
const MAX_TRIES = 5;

interface CountedAttempt {
	id: string;
	/** Of what is limited, a keyed hash: attempts are only compared. */
	subject: string;
	/** How many are possible within an hour, or the time that is given. */
	limit: number;
	withinMs?: number;
}

/** Adds all attempts, or none where one is beyond its limit. @returns as `countAttempts` */
export async function addAttempts(database: Database, attempts: CountedAttempt[]): Promise<number> {
	return await database
		.transaction()
		.execute(async (queries) => await insertAttempts(queries, attempts));
}

/** Like `addAttempts`, in a transaction. */
export async function insertAttempts(queries: Queries, attempts: CountedAttempt[]) {
	const made_at = Date.now();
	let wait = 0;
	for (const attempt of attempts) {
		wait = Math.max(wait, await findWait(queries, attempt, made_at));
	}
	if (wait > 0) return wait;
	const rows = attempts.map(({ id, subject }) => ({ id, subject, made_at }));
	await queries.insertInto('attempts').values(rows).execute();
	return 0;
}

async function findWait(queries: Queries, attempt: CountedAttempt, now: number) {
	const { subject, limit, withinMs = HOUR_MS } = attempt;
	await takeTurns(queries, subject);
	// The one that must be as old before there is place for another.
	const recent = sql<{ made_at: number }>`select made_at from attempts
		where subject = ${subject} and abs(made_at - ${now}) < ${withinMs}
		order by made_at desc limit 1 offset ${limit - 1}`;
	const [last] = (await recent.execute(queries)).rows;
	return last === undefined ? 0 : last.made_at + withinMs - now;
}

/** How many are left of attempts that count together, and how many milliseconds it takes until there is one. */
export async function readLimits(queries: Queries, attempts: CountedAttempt[]) {
	const now = Date.now();
	const left: number[] = [];
	const waits: number[] = [];
	for (const attempt of attempts) {
		const { subject, withinMs = HOUR_MS } = attempt;
		const recent = sql<{ count: number }>`select count(*) as count from attempts
			where subject = ${subject} and abs(made_at - ${now}) < ${withinMs}`;
		const [{ count }] = (await recent.execute(queries)).rows;
		left.push(attempt.limit - count);
		waits.push(await findWait(queries, attempt, now));
	}
	return { left: Math.min(...left), wait: Math.max(...waits) };
}

export async function removeAttempts(queries: Queries, ids: string[]): Promise<void> {
	await queries.deleteFrom('attempts').where('id', 'in', ids).execute();
}

interface Code {
	container_id: string;
	address: string;
	hash: string;
}

export async function storeCode(queries: Queries, code: Code & { id: string }): Promise<void> {
	const row = { ...code, tries: 0, expires_at: Date.now() + CODE_LIFE_MS };
	const insert = queries.insertInto('codes').values(row);
	// Where its mail failed, it is made again.
	await insert.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).execute();
}

/**
 * Uses a code up. A try counts before it is compared, so that many at once are no more than five.
 * @returns the ID of the code; nothing where it is wrong
 */
export async function useCode(queries: Queries, { container_id, address, hash }: Code) {
	const { rows } = await sql<{ id: string; hash: string }>`update codes set tries = tries + 1
		where container_id = ${container_id} and address = ${address}
		and tries < ${MAX_TRIES} and expires_at > ${Date.now()} returning id, hash`.execute(queries);
	const found = rows.find((row) => row.hash === hash);
	if (found === undefined) return undefined;
	const used = await queries.deleteFrom('codes').where('id', '=', found.id).executeTakeFirst();
	return used.numDeletedRows === 1n ? found.id : undefined;
}
