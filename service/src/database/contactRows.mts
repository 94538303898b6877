import { containsText, inPage, type PageRequest } from './pages.mts';
import type { ContactRow, Queries } from './schema.mts';

/** Whose contact it is, and its address in the form that is compared. */
export interface ContactKey {
	user_id: string;
	address: string;
}

type Fields = Record<string, unknown>;

export async function findContact(queries: Queries, { user_id, address }: ContactKey) {
	const query = queries.selectFrom('contacts').selectAll().where('user_id', '=', user_id);
	return await query.where('address', '=', address).executeTakeFirst();
}

/** @returns whether there was a contact */
export async function deleteContact(queries: Queries, { user_id, address }: ContactKey) {
	const query = queries.deleteFrom('contacts').where('user_id', '=', user_id);
	return (await query.where('address', '=', address).executeTakeFirst()).numDeletedRows > 0n;
}

/** Writes what `change` returns for the fields of a contact, which is created if it is missing. */
export async function upsertContact(
	queries: Queries,
	key: ContactKey & { email: string },
	change: (fields: Fields) => Fields,
): Promise<{ row: ContactRow; isNew: boolean }> {
	const now = new Date().toISOString();
	const dates = { created_date: now, updated_date: now };
	const created = await queries
		.insertInto('contacts')
		.values({ ...key, ...dates, fields: JSON.stringify(change({})) })
		.onConflict((conflict) => conflict.columns(['user_id', 'address']).doNothing())
		.returningAll()
		.executeTakeFirst();
	if (created !== undefined) return { row: created, isNew: true };
	const own = queries
		.updateTable('contacts')
		.where('user_id', '=', key.user_id)
		.where('address', '=', key.address)
		.returningAll();
	// The first write keeps others from changing the contact until the transaction ends.
	const { fields } = await own.set({ updated_date: now }).executeTakeFirstOrThrow();
	const changed = JSON.stringify(change(JSON.parse(fields) as Fields));
	return { row: await own.set({ fields: changed }).executeTakeFirstOrThrow(), isNew: false };
}

interface ContactFilter {
	userId: string;
	email?: string;
}

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
