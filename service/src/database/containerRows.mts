import { sql, type Insertable, type Updateable } from 'kysely';
import { foldText, listRows } from './lists.mts';
import { isPostgres, type ContainerRow, type Queries, type Tables } from './schema.mts';

type NewContainer = Omit<Insertable<Tables['containers']>, 'folded_name'>;

export async function insertContainer(queries: Queries, row: NewContainer): Promise<ContainerRow> {
	const values = { ...row, folded_name: foldText(row.name) };
	const insert = queries.insertInto('containers').values(values);
	return await insert.returningAll().executeTakeFirstOrThrow();
}

export async function findContainer(queries: Queries, id: string) {
	return await queries.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirst();
}

type Change = Updateable<Tables['containers']>;

export async function updateContainer(queries: Queries, id: string, change: Change) {
	const update = queries.updateTable('containers').set(change).where('id', '=', id);
	return await update.returningAll().executeTakeFirst();
}

/** Reads a container, and keeps others from changing it until the transaction ends. */
export async function lockContainer(queries: Queries, id: string) {
	return await updateContainer(queries, id, { id });
}

/** Deletes the key with the row: what is in the storage, or its backups, can't be decrypted any more. */
export async function deleteContainer(queries: Queries, id: string) {
	const deletion = queries.deleteFrom('containers').where('id', '=', id);
	return await deletion.returningAll().executeTakeFirst();
}

/** SQLite's log holds what was deleted until it is written back. To be called after the transaction. */
export async function forgetDeleted(queries: Queries): Promise<void> {
	if (!isPostgres(queries)) await sql`pragma wal_checkpoint(truncate)`.execute(queries);
}

/** All containers in their order. */
export async function* readAllContainers(queries: Queries): AsyncGenerator<ContainerRow> {
	for (let cursor: string | undefined = '0'; cursor !== undefined;) {
		const rows: ContainerRow[] = await listRows(queries, 'containers', {}, { limit: 1000, cursor });
		yield* rows;
		cursor = rows.at(-1)?.seq.toString();
	}
}
