import { DAY_MS } from '../database/limits.mts';
import type { Vault } from './vault.mts';

/** Files that no container knows. After a day, no upload that they could belong to is running any more. */
export async function* findLeftovers({ database, storage }: Vault) {
	for await (const file of storage.list()) {
		if (file.modified.getTime() > Date.now() - DAY_MS) continue;
		const rows = database.selectFrom('containers').select('id').where('object', '=', file.name);
		if (!(await rows.executeTakeFirst())) yield file.name;
	}
}
