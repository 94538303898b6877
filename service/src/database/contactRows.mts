import type { PageRequest } from './containerRows.mts';
import type { ContactRow, Queries } from './schema.mts';
import { containsText } from './textSearch.mts';

export async function findContact(
	queries: Queries,
	userId: string,
	address: string,
): Promise<ContactRow | undefined> {
	const query = queries.selectFrom('contacts').selectAll();
	return await query
		.where('user_id', '=', userId)
		.where('address', '=', address)
		.executeTakeFirst();
}

interface NewContact {
	userId: string;
	address: string;
	email: string;
}

/**
 * Writes what `change` makes of the fields of a contact. The contact is created if it is missing.
 *
 * @returns the row, and whether it is new
 */
export async function upsertContact(
	queries: Queries,
	{ userId, address, email }: NewContact,
	change: (fields: Record<string, unknown>) => Record<string, unknown>,
): Promise<{ row: ContactRow; isNew: boolean }> {
	const now = new Date().toISOString();
	const created = await queries
		.insertInto('contacts')
		.values({
			user_id: userId,
			address,
			email,
			fields: JSON.stringify(change({})),
			created_date: now,
			updated_date: now,
		})
		.onConflict((conflict) => conflict.columns(['user_id', 'address']).doNothing())
		.returningAll()
		.executeTakeFirst();
	if (created !== undefined) return { row: created, isNew: true };
	const own = queries
		.updateTable('contacts')
		.where('user_id', '=', userId)
		.where('address', '=', address);
	// The first write locks the row until the transaction ends.
	const { fields, seq } = await own
		.set({ updated_date: now })
		.returning(['fields', 'seq'])
		.executeTakeFirstOrThrow();
	const changed = JSON.stringify(change(JSON.parse(fields) as Record<string, unknown>));
	const row = await queries
		.updateTable('contacts')
		.set({ fields: changed })
		.where('seq', '=', seq)
		.returningAll()
		.executeTakeFirstOrThrow();
	return { row, isNew: false };
}

/** @returns whether there was a contact */
export async function deleteContact(
	queries: Queries,
	userId: string,
	address: string,
): Promise<boolean> {
	const query = queries
		.deleteFrom('contacts')
		.where('user_id', '=', userId)
		.where('address', '=', address);
	return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

export async function listContacts(
	queries: Queries,
	userId: string,
	email: string | undefined,
	{ limit, order, after }: PageRequest,
): Promise<ContactRow[]> {
	let query = queries.selectFrom('contacts').selectAll().where('user_id', '=', userId);
	if (email !== undefined) query = query.where(containsText('address', email));
	if (after !== undefined) query = query.where('seq', '>', after);
	return await query.orderBy('seq', order).limit(limit).execute();
}
