import { sql, type Insertable, type Updateable } from 'kysely';
import { containsText, foldText, inPage, type PageRequest } from './pages.mts';
import {
	isPostgres,
	type ContainerRow,
	type Database,
	type Queries,
	type Tables,
} from './schema.mts';

type NewContainer = Omit<Insertable<Tables['containers']>, 'folded_name'>;

export async function insertContainer(queries: Queries, row: NewContainer): Promise<ContainerRow> {
	const insert = queries
		.insertInto('containers')
		.values({ ...row, folded_name: foldText(row.name) });
	return await insert.returningAll().executeTakeFirstOrThrow();
}

export async function findContainer(queries: Queries, id: string) {
	return await queries.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updateContainer(
	queries: Queries,
	id: string,
	change: Updateable<Tables['containers']>,
): Promise<ContainerRow | undefined> {
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
export async function forgetDeleted(database: Database): Promise<void> {
	if (isPostgres(database)) return;
	await sql`pragma wal_checkpoint(truncate)`.execute(database);
}

interface ContainerFilter {
	ownerId: string;
	name?: string;
	createdAfter?: string;
	createdBefore?: string;
}

export async function listContainers(queries: Queries, filter: ContainerFilter, page: PageRequest) {
	const { ownerId, name, createdAfter, createdBefore } = filter;
	return await queries
		.selectFrom('containers')
		.selectAll()
		.where('owner_id', '=', ownerId)
		.$if(name !== undefined, (all) => all.where(containsText('folded_name', name!)))
		.$if(createdAfter !== undefined, (all) => all.where('created_date', '>', createdAfter!))
		.$if(createdBefore !== undefined, (all) => all.where('created_date', '<', createdBefore!))
		.$call(inPage(page))
		.execute();
}

/** All containers in their order, for commands. */
export async function* readAllContainers(queries: Queries): AsyncGenerator<ContainerRow> {
	for (let after: number | undefined = 0; after !== undefined;) {
		const all = queries.selectFrom('containers').selectAll();
		const page = inPage({ limit: 1000, order: 'asc', after });
		const rows: ContainerRow[] = await all.$call(page).execute();
		yield* rows;
		after = rows.at(-1)?.seq;
	}
}
