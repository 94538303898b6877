import { randomUUID } from 'node:crypto';
import type { Queries } from './schema.mts';

const CODE_LIFE_MS = 10 * 60 * 1000;
const MAX_TRIES = 5;

interface Addressee {
	containerId: string;
	/** In the form that is compared. */
	address: string;
}

export async function storeCode(
	queries: Queries,
	{ containerId, address }: Addressee,
	hash: string,
) {
	await queries
		.insertInto('codes')
		.values({
			...{ id: randomUUID(), container_id: containerId, address, hash, tries: 0 },
			expires_at: Date.now() + CODE_LIFE_MS,
		})
		.execute();
}

/** Uses a code up. A try counts before it is compared, so that many at once are no more than five. */
export async function useCode(
	queries: Queries,
	{ containerId, address }: Addressee,
	hash: string,
): Promise<boolean> {
	const live = await queries
		.updateTable('codes')
		.set((column) => ({ tries: column('tries', '+', 1) }))
		.where('container_id', '=', containerId)
		.where('address', '=', address)
		.where('tries', '<', MAX_TRIES)
		.where('expires_at', '>', Date.now())
		.returning(['id', 'hash'])
		.execute();
	const found = live.find((code) => code.hash === hash);
	if (found === undefined) return false;
	const { numDeletedRows } = await queries
		.deleteFrom('codes')
		.where('id', '=', found.id)
		.executeTakeFirst();
	return numDeletedRows === 1n;
}
