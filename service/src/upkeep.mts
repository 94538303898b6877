import type { Vault } from './containers/vault.mts';
import { DAY_MS, removeExpired } from './database/limits.mts';
import type { ListedFile } from './storage/storage.mts';

/** Files that no container knows: of an upload that is running or broke off, or of one that was deleted. */
export async function* findLeftovers({ database, storage }: Vault): AsyncGenerator<ListedFile> {
	for await (const file of storage.list()) {
		const rows = database.selectFrom('containers').select('id').where('object', '=', file.name);
		if (!(await rows.executeTakeFirst())) yield file;
	}
}

/** After a day, no upload is running any more that such a file could belong to. */
export const isOld = ({ modified }: ListedFile) => modified.getTime() < Date.now() - DAY_MS;

/** Removes now, and once a day, what is kept for a time only, and what broken uploads left. */
export function keepTidy(vault: Vault, eventsDays: number, onError: (error: Error) => void): void {
	const tidyUp = async () => {
		await removeExpired(vault.database, eventsDays);
		for await (const file of findLeftovers(vault)) {
			if (isOld(file)) await vault.storage.remove(file.name);
		}
	};
	tidyUp().catch(onError);
	setInterval(() => void tidyUp().catch(onError), DAY_MS).unref();
}
