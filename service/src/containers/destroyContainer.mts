import { forgetDeleted } from '../database/forget.mts';
import { deleteContainer, findContainerForUpdate } from '../database/queries.mts';
import type { ContainerRow, Queries } from '../database/schema.mts';
import { notFound, ServiceError } from '../errors.mts';
import { transact, type NewEvent, type RecordEvent } from './trail.mts';
import type { Vault } from './vault.mts';

type Actor = { user: string; ip?: string };
type Deletion = { record: RecordEvent } & Pick<NewEvent, 'user' | 'detail'>;

/** Deletes a container: first its key, then its file. @throws ServiceError 404, 409 */
export async function destroyContainer(vault: Vault, id: string, { user, ip }: Actor) {
	const container = await transact(vault, async (queries, record) => {
		const row = await findContainerForUpdate(queries, id);
		if (row === undefined) throw notFound('container');
		if (row.held_date !== null) {
			const message = "This container is on hold: it can't be deleted before the hold ends.";
			throw new ServiceError(409, 'on_hold', message);
		}
		await destroyKey(queries, row, { record, user, detail: { ip } });
		return row;
	});
	await forgetDeleted(vault.database);
	await removeFile(vault, container);
}

/** Nobody can read the file from here on. */
export async function destroyKey(
	queries: Queries,
	container: ContainerRow,
	{ record, user, detail }: Deletion,
): Promise<void> {
	await deleteContainer(queries, container.id);
	const about = { ownerId: container.owner_id, container, user, detail };
	await record({ ...about, action: 'container.delete' });
}

/** One that stays is removed after a day. */
export async function removeFile(
	{ storage }: Vault,
	{ object }: Pick<ContainerRow, 'object'>,
): Promise<void> {
	await storage.remove(object).catch(() => undefined);
}
