import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { sql, type SqlBool } from 'kysely';
import type { ApiKeyRow, Queries } from './schema.mts';

const createKey = () => `ec_${randomBytes(32).toString('base64url')}`;
const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

export type NewApiKey = { user_id: string; key?: string } & Pick<ApiKeyRow, 'name'> &
	Partial<Pick<ApiKeyRow, 'scope' | 'expires_date'>>;

export async function addApiKey(queries: Queries, { key = createKey(), ...more }: NewApiKey) {
	const id = randomUUID().slice(0, 8);
	const created_date = new Date().toISOString();
	const row = { scope: 'all', ...more, id, hash: hashKey(key), created_date } as const;
	const insert = queries.insertInto('api_keys').values(row).returning('id');
	const added = insert.onConflict((conflict) => conflict.column('hash').doNothing());
	await added.executeTakeFirstOrThrow(() => new Error('it was revoked'));
	return { id, key };
}

/** @returns the user with the facts of the key, also where one of them is disabled or expired; nothing for a revoked key */
export async function findUserByKey(queries: Queries, key: string) {
	const keys = queries.selectFrom('api_keys').where('hash', '=', hashKey(key));
	const users = keys.innerJoin('users', 'users.id', 'user_id').selectAll('users');
	const valid = users.where('revoked_date', 'is', null);
	const facts = ['api_keys.id as key_id', 'scope', 'expires_date', 'last_used_day'] as const;
	return await valid.select(facts).executeTakeFirst();
}

/** Written once a day, however many requests come at once. */
export async function recordKeyUse(queries: Queries, id: string, day: string): Promise<void> {
	const isEarlier = sql<SqlBool>`(last_used_day is null or last_used_day < ${day})`;
	const update = queries.updateTable('api_keys').set({ last_used_day: day });
	await update.where('id', '=', id).where(isEarlier).execute();
}
