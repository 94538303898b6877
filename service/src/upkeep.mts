import type { Vault } from './containers/vault.mts';
import { DAY_MS, removeExpired } from './database/retention.mts';
import type { ListedFile } from './storage/storage.mts';

const BATCH = 500;

/** Files that no container knows: of an upload that is running or broke off, or of one that was deleted. */
export async function* findLeftovers({ database, storage }: Vault): AsyncGenerator<ListedFile> {
	const batch: ListedFile[] = [];
	const takeUnknown = async () => {
		const names = batch.map(({ name }) => name);
		const query = database.selectFrom('containers').select('object').where('object', 'in', names);
		const known = new Set((await query.execute()).map(({ object }) => object));
		return batch.splice(0).filter(({ name }) => !known.has(name));
	};
	for await (const file of storage.list()) {
		if (batch.push(file) === BATCH) yield* await takeUnknown();
	}
	if (batch.length > 0) yield* await takeUnknown();
}

/** After a day, no upload is running any more that such a file could belong to. */
export const isOld = ({ modified }: ListedFile) => modified.getTime() < Date.now() - DAY_MS;

/** Removes now, and once a day, what is kept for a time only, and what broken uploads left. */
export function keepTidy(
	vault: Vault,
	eventsDays: number,
	onError: (error: unknown) => void,
): NodeJS.Timeout {
	const tidyUp = async () => {
		await removeExpired(vault.database, eventsDays);
		for await (const file of findLeftovers(vault)) {
			if (isOld(file)) await vault.storage.remove(file.name);
		}
	};
	tidyUp().catch(onError);
	return setInterval(() => void tidyUp().catch(onError), DAY_MS).unref();
}
