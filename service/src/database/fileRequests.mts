import type { Insertable, Updateable } from 'kysely';
import { foldText, listRows } from './lists.mts';
import type { FileRequestRow, Queries, Tables } from './schema.mts';

type NewRequest = Omit<Insertable<Tables['requests']>, 'folded_name'>;

export async function insertRequest(queries: Queries, row: NewRequest): Promise<FileRequestRow> {
	const values = { ...row, folded_name: foldText(row.name) };
	const insert = queries.insertInto('requests').values(values);
	return await insert.returningAll().executeTakeFirstOrThrow();
}

export async function findRequest(queries: Queries, id: string) {
	return await queries.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst();
}

type Change = Updateable<Tables['requests']>;

export async function updateRequest(queries: Queries, id: string, change: Change) {
	const update = queries.updateTable('requests').set(change).where('id', '=', id);
	return await update.returningAll().executeTakeFirst();
}

/** Reads a request, and keeps others from changing it until the transaction ends. */
export const findRequestForUpdate = async (queries: Queries, id: string) =>
	await updateRequest(queries, id, { id });

export async function deleteRequestRow(queries: Queries, id: string): Promise<void> {
	await queries.deleteFrom('requests').where('id', '=', id).execute();
}

/** @param own what they have in common; nothing for all */
export async function* readAllRequests(
	queries: Queries,
	own: Partial<FileRequestRow> = {},
): AsyncGenerator<FileRequestRow> {
	for (let cursor: string | undefined = '0'; cursor !== undefined;) {
		const page = { limit: 1000, cursor };
		const rows: FileRequestRow[] = await listRows(queries, 'requests', own, page);
		yield* rows;
		cursor = rows.at(-1)?.seq.toString();
	}
}

export async function countRequests(queries: Queries, ownerId: string): Promise<number> {
	const owned = queries.selectFrom('requests').where('owner_id', '=', ownerId);
	const count = owned.select((select) => select.fn.countAll().as('count'));
	return Number((await count.executeTakeFirstOrThrow()).count);
}

/** What a sender sent by a request, oldest first. What its owner deleted is gone. */
export async function listDeliveries(queries: Queries, requestId: string, sender: string) {
	const containers = queries.selectFrom('containers').selectAll();
	const own = containers.where('request_id', '=', requestId).where('sender', '=', sender);
	return await own.orderBy('seq').execute();
}
