import type { Insertable, Updateable } from 'kysely';
import { containsText, foldText, inPage, type PageRequest } from './pages.mts';
import type { ContainerRow, Queries, Tables } from './schema.mts';

type NewContainer = Omit<Insertable<Tables['containers']>, 'folded_name'>;

export async function insertContainer(queries: Queries, row: NewContainer): Promise<ContainerRow> {
	const values = { ...row, folded_name: foldText(row.name) };
	return await queries
		.insertInto('containers')
		.values(values)
		.returningAll()
		.executeTakeFirstOrThrow();
}

export async function findContainer(queries: Queries, id: string) {
	return await queries.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirst();
}

const update = (queries: Queries, id: string) =>
	queries.updateTable('containers').where('id', '=', id).returningAll();

/** Reads a container, and keeps others from changing it until the transaction ends. */
export async function lockContainer(queries: Queries, id: string) {
	const locked = update(queries, id).set((column) => ({ revision: column.ref('revision') }));
	return await locked.executeTakeFirst();
}

/** Counts an opening and reads the container. The transaction is rolled back where it is refused. */
export async function countOpening(queries: Queries, id: string) {
	const counted = update(queries, id).set((column) => ({
		opens_used: column('opens_used', '+', 1),
	}));
	return await counted.executeTakeFirst();
}

type Change = Updateable<Tables['containers']>;

export async function updateContainer(queries: Queries, id: string, change: Change): Promise<void> {
	await update(queries, id).set(change).execute();
}

/** Deletes the key with the row: what is in the storage, or its backups, can't be decrypted any more. */
export async function deleteContainer(queries: Queries, id: string) {
	const query = queries.deleteFrom('containers').where('id', '=', id);
	return await query.returningAll().executeTakeFirst();
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
		const page = inPage({ limit: 1000, order: 'asc', after });
		const rows: ContainerRow[] = await queries
			.selectFrom('containers')
			.selectAll()
			.$call(page)
			.execute();
		yield* rows;
		after = rows.at(-1)?.seq;
	}
}
