import { openSeal, type StoredFile } from '../containers/seal.mts';
import type { Vault } from '../containers/vault.mts';
import { listDeliveries } from '../database/fileRequests.mts';
import { HOUR_MS } from '../database/limits.mts';
import type { ContainerRow, Queries } from '../database/schema.mts';
import { attempt } from '../errors.mts';

/** Ends a delivery that came before: a second tap on the button, or a browser that tried again. */
export class RepeatedDelivery extends Error {
	constructor(readonly container: ContainerRow) {
		super('The same files came before');
	}
}

interface Sent {
	requestId: string;
	sender: string;
	files: StoredFile[];
}

/** @throws RepeatedDelivery where the same files came from the same sender within an hour */
export async function refuseRepeated(
	{ keys }: Vault,
	queries: Queries,
	{ requestId, sender, files }: Sent,
): Promise<void> {
	const since = new Date(Date.now() - HOUR_MS).toISOString();
	const facts = describeSent(files);
	for (const container of await listDeliveries(queries, requestId, sender)) {
		if (container.created_date < since || container.file_count !== files.length) continue;
		// One that can't be read keeps nothing out.
		const seal = attempt(() => openSeal(keys, container));
		if (seal && describeSent(seal.files) === facts) throw new RepeatedDelivery(container);
	}
}

/** In the order in which they were sent. */
const describeSent = (files: StoredFile[]) =>
	JSON.stringify(files.map(({ name, type, sha256 }) => [name, type, sha256]));
