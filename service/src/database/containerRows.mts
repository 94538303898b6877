import type { Insertable } from 'kysely';
import type { ContainerRow, Queries, Tables } from './schema.mts';
import { containsText, foldText } from './textSearch.mts';

export interface ContainerFilter {
	name?: string;
	createdAfter?: string;
	createdBefore?: string;
}

/** Which entries of a list are wanted: at most `limit`, behind the entry `after` in the order. */
export interface PageRequest {
	limit: number;
	order: 'asc' | 'desc';
	after?: number;
}

export async function insertContainer(
	queries: Queries,
	row: Omit<Insertable<Tables['containers']>, 'folded_name'>,
): Promise<ContainerRow> {
	return await queries
		.insertInto('containers')
		.values({ ...row, folded_name: foldText(row.name) })
		.returningAll()
		.executeTakeFirstOrThrow();
}

export async function findContainer(
	queries: Queries,
	id: string,
): Promise<ContainerRow | undefined> {
	return await queries.selectFrom('containers').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads a container and keeps others from changing it until the transaction ends. */
export async function lockContainer(
	queries: Queries,
	id: string,
): Promise<ContainerRow | undefined> {
	return await queries
		.updateTable('containers')
		.set((column) => ({ revision: column.ref('revision') }))
		.where('id', '=', id)
		.returningAll()
		.executeTakeFirst();
}

/** Counts an opening and reads the container with it. The transaction is rolled back where it is refused. */
export async function countOpening(
	queries: Queries,
	id: string,
): Promise<ContainerRow | undefined> {
	return await queries
		.updateTable('containers')
		.set((column) => ({ opens_used: column('opens_used', '+', 1) }))
		.where('id', '=', id)
		.returningAll()
		.executeTakeFirst();
}

type Change = Partial<
	Pick<ContainerRow, 'rules' | 'files' | 'seal' | 'master_key_id' | 'updated_date' | 'revision'>
>;

export async function updateContainer(
	queries: Queries,
	id: string,
	change: Change,
): Promise<ContainerRow> {
	const query = queries.updateTable('containers').set(change).where('id', '=', id);
	return await query.returningAll().executeTakeFirstOrThrow();
}

/** Deletes the row, and with it the key: what is in the storage, and in its backups, can't be decrypted any more. */
export async function deleteContainer(
	queries: Queries,
	id: string,
): Promise<ContainerRow | undefined> {
	return await queries
		.deleteFrom('containers')
		.where('id', '=', id)
		.returningAll()
		.executeTakeFirst();
}

export async function listContainers(
	queries: Queries,
	ownerId: string,
	{ name, createdAfter, createdBefore }: ContainerFilter,
	{ limit, order, after }: PageRequest,
): Promise<ContainerRow[]> {
	let query = queries.selectFrom('containers').selectAll().where('owner_id', '=', ownerId);
	if (name !== undefined) query = query.where(containsText('folded_name', name));
	if (createdAfter !== undefined) query = query.where('created_date', '>', createdAfter);
	if (createdBefore !== undefined) query = query.where('created_date', '<', createdBefore);
	if (after !== undefined) query = query.where('seq', order === 'asc' ? '>' : '<', after);
	return await query.orderBy('seq', order).limit(limit).execute();
}

/** All containers in their order, a thousand at a time: for commands. */
export async function* readAllContainers(queries: Queries): AsyncGenerator<ContainerRow> {
	for (let after = 0; ;) {
		const query = queries.selectFrom('containers').selectAll().where('seq', '>', after);
		const rows = await query.orderBy('seq').limit(1000).execute();
		yield* rows;
		const last = rows.at(-1);
		if (last === undefined) return;
		after = last.seq;
	}
}

/** @returns those of the names in the storage that no container knows */
export async function findUnknownObjects(queries: Queries, names: string[]): Promise<string[]> {
	const query = queries.selectFrom('containers').select('object').where('object', 'in', names);
	const known = new Set((await query.execute()).map(({ object }) => object));
	return names.filter((name) => !known.has(name));
}
