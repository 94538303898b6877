import { findContainer, findContainerForUpdate, readAllContainers } from '../database/queries.mts';
import { getEncryptedSize } from './ageFile.mts';
import { hashObject } from './hashObject.mts';
import { openSeal } from './seal.mts';
import { updateSealed } from './sealedRows.mts';
import type { Vault } from './vault.mts';

/** Gives a legacy seal the hash that it doesn't have; nothing happens to others. */
export async function renewLegacySeal(vault: Vault, id: string): Promise<void> {
	const { database, keys } = vault;
	const row = await findContainer(database, id);
	if (row === undefined || openSeal(keys, row).objectSha256 !== undefined) return;
	const objectSha256 = await hashObject(vault, row.object, getEncryptedSize(row.size));
	await database.transaction().execute(async (queries) => {
		const current = await findContainerForUpdate(queries, id);
		if (current === undefined) return;
		const renewed = { ...openSeal(keys, current), objectSha256 };
		await updateSealed({ queries, keys }, current, renewed);
	});
}

/** Seals with the current master key what an older one sealed. @returns how many containers, and why others stay as they are */
export async function resealContainers({ database, keys }: Vault) {
	const problems: string[] = [];
	let count = 0;
	for await (const { id } of readAllContainers(database)) {
		const reseal = database.transaction().execute(async (queries) => {
			const row = await findContainerForUpdate(queries, id);
			if (row === undefined || row.master_key_id === keys.current().id) return;
			await updateSealed({ queries, keys }, row, openSeal(keys, row));
			count += 1;
		});
		await reseal.catch(({ message }: Error) => problems.push(message));
	}
	return { count, problems };
}
