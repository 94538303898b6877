import { randomUUID } from 'node:crypto';
import type { Queries } from './schema.mts';

const CODE_LIFE_MS = 10 * 60 * 1000;
const MAX_TRIES = 5;

/** Of somebody, in the form that is compared, for one container. */
interface Code {
	container_id: string;
	address: string;
	hash: string;
}

export async function storeCode(queries: Queries, code: Code): Promise<void> {
	const row = { ...code, id: randomUUID(), tries: 0, expires_at: Date.now() + CODE_LIFE_MS };
	await queries.insertInto('codes').values(row).execute();
}

/** Uses a code up. A try counts before it is compared, so that many at once are no more than five. */
export async function useCode(queries: Queries, code: Code): Promise<boolean> {
	const live = await queries
		.updateTable('codes')
		.set((column) => ({ tries: column('tries', '+', 1) }))
		.where('container_id', '=', code.container_id)
		.where('address', '=', code.address)
		.where('tries', '<', MAX_TRIES)
		.where('expires_at', '>', Date.now())
		.returning(['id', 'hash'])
		.execute();
	const found = live.find(({ hash }) => hash === code.hash);
	if (found === undefined) return false;
	const used = await queries.deleteFrom('codes').where('id', '=', found.id).executeTakeFirst();
	return used.numDeletedRows === 1n;
}
