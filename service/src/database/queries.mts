import { randomUUID } from 'node:crypto';
import type { Insertable, Updateable } from 'kysely';
import { foldText, listRows } from './lists.mts';
import type { ContainerRow, Queries, Tables, UserRow } from './schema.mts';

export type NewContainer = Omit<Insertable<Tables['containers']>, 'folded_name'>;

export async function insertContainer(queries: Queries, row: NewContainer): Promise<ContainerRow> {
	const values = { ...row, folded_name: foldText(row.name) };
	const insert = queries.insertInto('containers').values(values);
	return await insert.returningAll().executeTakeFirstOrThrow();
}

export async function findContainer(queries: Queries, id: string) {
	return await queries.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirst();
}

export type ContainerChange = Updateable<Tables['containers']>;

export async function updateContainer(queries: Queries, id: string, change: ContainerChange) {
	const update = queries.updateTable('containers').set(change).where('id', '=', id);
	return await update.returningAll().executeTakeFirst();
}

/** Reads a container, and keeps others from changing it until the transaction ends. */
export const findContainerForUpdate = async (queries: Queries, id: string) =>
	await updateContainer(queries, id, { id });

/** Deletes the key with the row: what is in the storage, or its backups, can't be decrypted any more. */
export async function deleteContainer(queries: Queries, id: string): Promise<void> {
	await queries.deleteFrom('containers').where('id', '=', id).execute();
}

/** @param own what they have in common; nothing for all */
export async function* readAllContainers(
	queries: Queries,
	own: Partial<ContainerRow> = {},
): AsyncGenerator<ContainerRow> {
	for (let cursor: string | undefined = '0'; cursor !== undefined;) {
		const page = { limit: 1000, cursor };
		const rows: ContainerRow[] = await listRows(queries, 'containers', own, page);
		yield* rows;
		cursor = rows.at(-1)?.seq.toString();
	}
}

type ContactKey = { user_id: string; address: string };
type Fields = Record<string, unknown>;

export async function deleteContact(queries: Queries, key: ContactKey): Promise<boolean> {
	const deletion = queries.deleteFrom('contacts').where(({ and }) => and({ ...key }));
	return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
}

/** Writes what `change` returns for the fields of a contact, which is created if it is missing. */
export async function upsertContact(
	queries: Queries,
	contact: ContactKey & { email: string },
	change: (fields: Fields) => Fields,
) {
	const now = new Date().toISOString();
	const row = { ...contact, fields: '', created_date: now, updated_date: now };
	const insert = queries.insertInto('contacts').values(row).returning(['seq', 'fields']);
	// This write also keeps others from changing the contact until the transaction ends.
	const touch = insert.onConflict((conflict) =>
		conflict.columns(['user_id', 'address']).doUpdateSet({ updated_date: now }),
	);
	const { seq, fields } = await touch.executeTakeFirstOrThrow();
	const isNew = fields === '';
	const before = isNew ? {} : (JSON.parse(fields) as Fields);
	const changed = JSON.stringify(change(before));
	const update = queries.updateTable('contacts').set({ fields: changed }).where('seq', '=', seq);
	const changedRow = await update.returningAll().executeTakeFirstOrThrow();
	return { row: changedRow, isNew };
}

type NewUser = Pick<UserRow, 'email' | 'address' | 'role'>;

export async function createUser(queries: Queries, user: NewUser): Promise<UserRow> {
	const values = { ...user, id: randomUUID(), created_date: new Date().toISOString() };
	return await queries.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow();
}

export async function findUser(queries: Queries, by: 'id' | 'address', value: string) {
	return await queries.selectFrom('users').selectAll().where(by, '=', value).executeTakeFirst();
}

type UserChange = Updateable<Tables['users']>;

export async function updateUser(queries: Queries, id: string, change: UserChange): Promise<void> {
	await queries.updateTable('users').set(change).where('id', '=', id).execute();
}

/** Moves contacts to another user, except those whose address that user already has. @returns how many */
export async function moveContacts(queries: Queries, from: string, to: string): Promise<number> {
	const known = queries.selectFrom('contacts').select('address').where('user_id', '=', to);
	const update = queries.updateTable('contacts').set({ user_id: to }).where('user_id', '=', from);
	const moved = await update.where('address', 'not in', known).executeTakeFirst();
	return Number(moved.numUpdatedRows);
}

/** @returns their IDs, always in the same order, so that two transactions that write to all don't wait for each other */
export async function listAdmins(queries: Queries): Promise<string[]> {
	const admins = queries.selectFrom('users').select('id').where('role', '=', 'admin');
	return (await admins.orderBy('id').execute()).map(({ id }) => id);
}
