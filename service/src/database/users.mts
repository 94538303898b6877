import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Queries, UserRow } from './schema.mts';

export type Role = 'user' | 'admin';

interface NewUser {
	email: string;
	address: string;
	role: Role;
}

export async function createUser(
	queries: Queries,
	{ email, address, role }: NewUser,
): Promise<UserRow> {
	const names = { first_name: '', last_name: '', mobile_phone: '' };
	return await queries
		.insertInto('users')
		.values({
			...{ id: randomUUID(), email, address, role, org_id: randomUUID(), ...names },
			created_date: new Date().toISOString(),
		})
		.returningAll()
		.executeTakeFirstOrThrow();
}

export async function findUser(queries: Queries, id: string): Promise<UserRow | undefined> {
	return await queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findUserByAddress(
	queries: Queries,
	address: string,
): Promise<UserRow | undefined> {
	const query = queries.selectFrom('users').selectAll().where('address', '=', address);
	return await query.executeTakeFirst();
}

export function createApiKey(): string {
	return `ec_${randomBytes(32).toString('base64url')}`;
}

const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** @returns the ID of the key, by which it can be revoked */
export async function storeApiKey(queries: Queries, userId: string, key: string): Promise<string> {
	const id = randomUUID().slice(0, 8);
	await queries
		.insertInto('api_keys')
		.values({
			...{ id, user_id: userId, hash: hashKey(key) },
			created_date: new Date().toISOString(),
			revoked_date: null,
		})
		.execute();
	return id;
}

/** @returns the user of a key that is not revoked, and the ID of the key */
export async function findUserByKey(
	queries: Queries,
	key: string,
): Promise<(UserRow & { key_id: string }) | undefined> {
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
