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

/** Seals every container with the current master key that has another one. @returns how many */
export async function resealContainers({ database, keys }: Vault): Promise<number> {
	let count = 0;
	for await (const { id } of readAllContainers(database)) {
		await database.transaction().execute(async (queries) => {
			const row = await lockContainer(queries, id);
			if (row === undefined || row.master_key_id === keys.current().id) return;
			const { secret, ...facts } = openSeal(keys, row);
			await updateContainer(queries, id, seal(keys, { ...row, ...facts }, secret));
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
		const problem = findBrokenSeal(vault, row) ?? (await findBrokenFile(vault, row, sizes));
		yield problem && `Container ${row.id} can't be opened: ${problem}.`;
	}
}

function findBrokenSeal({ keys }: Vault, row: ContainerRow): string | undefined {
	try {
		return void openSeal(keys, row);
	} catch {
		return 'its rules, owner or files were changed outside of the service';
	}
}

async function findBrokenFile(vault: Vault, row: ContainerRow, sizes: Map<string, number>) {
	const size = getEncryptedSize(row.size);
	const listed = sizes.get(row.object);
	if (listed === size) return undefined;
	// It can be newer than the list of files, or deleted since.
	if (await hasByte(vault, row.object, size - 1).catch(() => false)) return undefined;
	if ((await findContainer(vault.database, row.id)) === undefined) return undefined;
	const state = listed === undefined ? 'is missing' : `has ${listed} bytes instead of ${size}`;
	return `its file ${row.object} ${state}`;
}

async function hasByte({ storage }: Vault, name: string, start: number): Promise<boolean> {
	for await (const { length } of await storage.read(name, { start, end: start + 1 }))
		return length > 0;
	return false;
}
