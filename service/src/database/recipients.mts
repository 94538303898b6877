import { sql, type SqlBool } from 'kysely';
import { takeTurns } from './events.mts';
import type { ContainerRow, IndexRow, Queries } from './schema.mts';

/** A seal begins with random bytes: no other one begins so. */
const BEGINNING = 18;
const BEGINNING_OF_SEAL = sql<string>`substr(seal, 1, ${sql.lit(BEGINNING)})`;
/** As the database's own index of them says it. */
const IS_BEHIND = sql<SqlBool>`indexed_seal is distinct from ${BEGINNING_OF_SEAL}`;
/** How many rows a statement names: a container can have 10,000 recipients. */
const AT_ONCE = 1000;

export const getSealBeginning = (seal: string) => seal.slice(0, BEGINNING);

interface Behind {
	/** Of whom; of everybody where it is left out. */
	ownerId?: string;
	limit: number;
}

/** The containers whose rules aren't in the index yet. */
export async function listBehind(queries: Queries, { ownerId, limit }: Behind): Promise<string[]> {
	let behind = queries.selectFrom('containers').select('id').where(IS_BEHIND);
	if (ownerId !== undefined) behind = behind.where('owner_id', '=', ownerId);
	// In the order of the index: SQLite would sort them by reading all containers.
	const rows = await behind.orderBy('owner_id').orderBy('seq').limit(limit).execute();
	return rows.map(({ id }) => id);
}

/** Marks containers as being in the index, and keeps others from changing them until the transaction ends. */
export async function markIndexed(queries: Queries, ids: string[]): Promise<ContainerRow[]> {
	// Two that lock several containers could wait for each other.
	await takeTurns(queries, 'recipients');
	const update = queries.updateTable('containers').set({ indexed_seal: BEGINNING_OF_SEAL });
	return await update.where('id', 'in', ids).returningAll().execute();
}

/** @param sequences the numbers of containers */
export async function readIndex(queries: Queries, sequences: number[]): Promise<IndexRow[]> {
	const rows = queries.selectFrom('recipients').selectAll();
	return await rows.where('container_seq', 'in', sequences).execute();
}

/** Adds rows, or gives them their owner. */
export async function insertIntoIndex(queries: Queries, rows: IndexRow[]): Promise<void> {
	for (let start = 0; start < rows.length; start += AT_ONCE) {
		const insert = queries.insertInto('recipients').values(rows.slice(start, start + AT_ONCE));
		const owner_id = sql<string>`excluded.owner_id`;
		await insert
			.onConflict((conflict) =>
				conflict.columns(['container_seq', 'recipient']).doUpdateSet({ owner_id }),
			)
			.execute();
	}
}

export async function deleteFromIndex(queries: Queries, sequence: number, recipients: string[]) {
	for (let start = 0; start < recipients.length; start += AT_ONCE) {
		const some = recipients.slice(start, start + AT_ONCE);
		const deletion = queries.deleteFrom('recipients').where('container_seq', '=', sequence);
		await deletion.where('recipient', 'in', some).execute();
	}
}

/** The IDs of the containers that have a recipient in the index. */
export async function listIndexed(queries: Queries, recipient: string): Promise<string[]> {
	const rows = queries.selectFrom('recipients').select('container_seq');
	const named = rows.where('recipient', '=', recipient);
	const containers = queries.selectFrom('containers').select('id').where('seq', 'in', named);
	return (await containers.execute()).map(({ id }) => id);
}
