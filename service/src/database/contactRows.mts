import { containsText, inPage, type PageRequest } from './pages.mts';
import type { ContactRow, Queries } from './schema.mts';

/** Whose contact it is, and its address in the form that is compared. */
type ContactKey = { user_id: string; address: string };
type Fields = Record<string, unknown>;

export async function findContact(queries: Queries, key: ContactKey) {
	const contacts = queries.selectFrom('contacts').selectAll();
	return await contacts.where(({ and }) => and({ ...key })).executeTakeFirst();
}

/** @returns whether there was a contact */
export async function deleteContact(queries: Queries, key: ContactKey): Promise<boolean> {
	const deletion = queries.deleteFrom('contacts').where(({ and }) => and({ ...key }));
	return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
}

/** Writes what `change` returns for the fields of a contact, which is created if it is missing. */
export async function upsertContact(
	queries: Queries,
	{ email, ...key }: ContactKey & { email: string },
	change: (fields: Fields) => Fields,
): Promise<{ row: ContactRow; isNew: boolean }> {
	const now = new Date().toISOString();
	const row = { ...key, email, fields: '{}', created_date: now, updated_date: now };
	const insert = queries.insertInto('contacts').values(row);
	const created = await insert
		.onConflict((conflict) => conflict.columns(['user_id', 'address']).doNothing())
		.returning('seq')
		.executeTakeFirst();
	const own = queries.updateTable('contacts').where(({ and }) => and({ ...key }));
	// This write keeps others from changing the contact until the transaction ends.
	const update = own.set({ updated_date: now }).returningAll();
	const before = JSON.parse((await update.executeTakeFirstOrThrow()).fields) as Fields;
	const changed = own.set({ fields: JSON.stringify(change(before)) }).returningAll();
	return { row: await changed.executeTakeFirstOrThrow(), isNew: created !== undefined };
}

type ContactFilter = { userId: string; email?: string };

export async function listContacts(queries: Queries, filter: ContactFilter, page: PageRequest) {
	const { userId, email } = filter;
	return await queries
		.selectFrom('contacts')
		.selectAll()
		.where('user_id', '=', userId)
		.$if(email !== undefined, (all) => all.where(containsText('address', email!)))
		.$call(inPage(page))
		.execute();
}
