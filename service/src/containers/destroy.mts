import { deleteContainer, forgetDeleted } from '../database/containerRows.mts';
import { addEvent } from '../database/eventRows.mts';
import type { Vault } from './vault.mts';

/** Deletes a container: first its key, then its file. @returns whether there was one */
export async function destroyContainer(
	{ database, storage }: Vault,
	id: string,
	{ user, ip }: { user: string; ip: string },
): Promise<boolean> {
	const row = await database.transaction().execute(async (queries) => {
		const container = await deleteContainer(queries, id);
		const event = { action: 'container.delete', user, detail: { ip } } as const;
		if (container !== undefined) await addEvent(queries, { ...event, container });
		return container;
	});
	if (row !== undefined) await forgetDeleted(database);
	// A file that stays is removed after a day. Nobody can read it.
	if (row !== undefined) await storage.remove(row.object).catch(() => undefined);
	return row !== undefined;
}
