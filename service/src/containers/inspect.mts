import {
	findContainer,
	lockContainer,
	readAllContainers,
	updateContainer,
} from '../database/containerRows.mts';
import type { ContainerRow } from '../database/schema.mts';
import { getEncryptedSize } from './ageFile.mts';
import { openSeal, seal } from './seal.mts';
import type { Vault } from './vault.mts';

/** Seals every container with the current master key that has another one. @returns how many there were */
export async function resealContainers({ database, keys }: Vault): Promise<number> {
	let count = 0;
	for await (const { id } of readAllContainers(database)) {
		await database.transaction().execute(async (transaction) => {
			const row = await lockContainer(transaction, id);
			if (row === undefined || row.master_key_id === keys.current().id) return;
			const { rules, files, secret } = openSeal(keys, row);
			await updateContainer(
				transaction,
				id,
				seal(keys, { id, owner_id: row.owner_id, rules, files }, secret),
			);
			count += 1;
		});
	}
	return count;
}

/** Checks the seal of every container, and that its file is whole. @returns what is wrong with each, if anything */
export async function* inspectContainers(vault: Vault): AsyncGenerator<string | undefined> {
	const sizes = new Map<string, number>();
	for await (const { name, size } of vault.storage.list()) sizes.set(name, size);
	for await (const row of readAllContainers(vault.database)) {
		yield findBrokenSeal(vault, row) ?? (await findBrokenFile(vault, row, sizes.get(row.object)));
	}
}

function findBrokenSeal({ keys }: Vault, row: ContainerRow): string | undefined {
	try {
		openSeal(keys, row);
		return undefined;
	} catch {
		return `Container ${row.id} can't be opened: its rules, owner or files were changed outside of the service.`;
	}
}

async function findBrokenFile(
	{ database, storage }: Vault,
	row: ContainerRow,
	listed: number | undefined,
) {
	const size = getEncryptedSize(row.size);
	if (listed === size) return undefined;
	// It may be newer than the list of files, or deleted since.
	const isThere = async () => {
		for await (const last of await storage.read(row.object, { start: size - 1, end: size })) {
			return last.length === 1;
		}
		return false;
	};
	if (await isThere().catch(() => false)) return undefined;
	if ((await findContainer(database, row.id)) === undefined) return undefined;
	const state = listed === undefined ? 'is missing' : `has ${listed} bytes instead of ${size}`;
	return `Container ${row.id} can't be opened: its file ${row.object} ${state}.`;
}
