import { deleteContainer } from '../database/containerRows.mts';
import { addEvent } from '../database/eventRows.mts';
import type { Vault } from './vault.mts';

/**
 * Deletes a container: first its key, then its file. A file that a crash leaves is removed later; nobody can read it.
 *
 * @returns whether there was a container
 */
export async function destroyContainer(
	{ database, storage }: Vault,
	id: string,
	{ user, ip }: { user: string; ip: string },
): Promise<boolean> {
	const row = await database.transaction().execute(async (transaction) => {
		const deleted = await deleteContainer(transaction, id);
		if (deleted === undefined) return undefined;
		await addEvent(transaction, {
			action: 'container.delete',
			container: deleted,
			user,
			detail: { ip },
		});
		return deleted;
	});
	if (row === undefined) return false;
	await storage.remove(row.object).catch(() => undefined);
	return true;
}
