import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Queries, UserRow } from './schema.mts';

type NewUser = Pick<UserRow, 'email' | 'address' | 'role'>;

export async function createUser(queries: Queries, user: NewUser): Promise<UserRow> {
	const values = { ...user, id: randomUUID(), created_date: new Date().toISOString() };
	return await queries.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow();
}

export async function findUser(queries: Queries, by: 'id' | 'address', value: string) {
	return await queries.selectFrom('users').selectAll().where(by, '=', value).executeTakeFirst();
}

const createKey = () => `ec_${randomBytes(32).toString('base64url')}`;
const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** @returns the key, which can't be read again, and the ID by which it can be revoked. @throws Error for one that was */
export async function addApiKey(queries: Queries, user_id: string, key = createKey()) {
	const [id, created_date] = [randomUUID().slice(0, 8), new Date().toISOString()];
	const row = { id, user_id, hash: hashKey(key), created_date, revoked_date: null };
	const insert = queries.insertInto('api_keys').values(row).returning('id');
	const added = insert.onConflict((conflict) => conflict.column('hash').doNothing());
	await added.executeTakeFirstOrThrow(() => new Error('it was revoked'));
	return { id, key };
}

/** @returns the user of a key that is not revoked, and the ID of the key */
export async function findUserByKey(queries: Queries, key: string) {
	const hash = hashKey(key);
	const found = await queries
		.selectFrom('api_keys')
		.innerJoin('users', 'users.id', 'api_keys.user_id')
		.selectAll('users')
		.select(['api_keys.id as key_id', 'api_keys.hash'])
		.where('api_keys.hash', '=', hash)
		.where('api_keys.revoked_date', 'is', null)
		.executeTakeFirst();
	return found && timingSafeEqual(Buffer.from(found.hash), Buffer.from(hash)) ? found : undefined;
}
