import { findUnknownObjects } from './database/containerRows.mts';
import { removeExpired } from './database/retention.mts';
import type { Vault } from './containers/vault.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH = 500;

/** A file that no container knows: of an upload that is running or broke off, or of a container that was deleted. */
export interface LeftoverFile {
	name: string;
	modified: Date;
}

export async function* findLeftovers({ database, storage }: Vault): AsyncGenerator<LeftoverFile> {
	let batch = new Map<string, LeftoverFile>();
	async function* check() {
		for (const name of await findUnknownObjects(database, [...batch.keys()]))
			yield batch.get(name)!;
		batch = new Map();
	}
	for await (const file of storage.list()) {
		batch.set(file.name, file);
		if (batch.size === BATCH) yield* check();
	}
	if (batch.size > 0) yield* check();
}

/** After a day, no upload is running any more that such a file could belong to. */
export const isOld = ({ modified }: LeftoverFile) => modified.getTime() < Date.now() - DAY_MS;

/** Removes what is kept for a time only, and files that broken uploads left. */
export async function tidyUp(vault: Vault, eventsDays: number): Promise<void> {
	await removeExpired(vault.database, eventsDays);
	for await (const file of findLeftovers(vault)) {
		if (isOld(file)) await vault.storage.remove(file.name);
	}
}

/** Tidies up now and once a day. @returns what stops it */
export function keepTidy(
	vault: Vault,
	{ eventsDays, onError }: { eventsDays: number; onError: (error: unknown) => void },
): () => void {
	const run = () => void tidyUp(vault, eventsDays).catch(onError);
	run();
	const timer = setInterval(run, DAY_MS).unref();
	return () => clearInterval(timer);
}
