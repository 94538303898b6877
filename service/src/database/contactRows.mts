import type { Queries } from './schema.mts';

/** Whose contact it is, and its address in the form that is compared. */
type ContactKey = { user_id: string; address: string };
type Fields = Record<string, unknown>;

/** @returns whether there was a contact */
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
	const { seq, fields } = await queries
		.insertInto('contacts')
		.values({ ...contact, fields: '', created_date: now, updated_date: now })
		// This write also keeps others from changing the contact until the transaction ends.
		.onConflict((conflict) =>
			conflict.columns(['user_id', 'address']).doUpdateSet({ updated_date: now }),
		)
		.returning(['seq', 'fields'])
		.executeTakeFirstOrThrow();
	const isNew = fields === '';
	const changed = JSON.stringify(change(isNew ? {} : (JSON.parse(fields) as Fields)));
	const update = queries.updateTable('contacts').set({ fields: changed }).where('seq', '=', seq);
	return { row: await update.returningAll().executeTakeFirstOrThrow(), isNew };
}
