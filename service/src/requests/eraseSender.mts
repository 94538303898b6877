import stringify from 'safe-stable-stringify';
import { normalizeRecipient } from '../containers/addresses.mts';
import { ERASED } from '../containers/proofs.mts';
import { openSeal } from '../containers/seal.mts';
import { updateSealed } from '../containers/sealedRows.mts';
import type { Vault } from '../containers/vault.mts';
import { findRequestForUpdate, readAllRequests } from '../database/fileRequests.mts';
import { findContainerForUpdate } from '../database/queries.mts';
import { changeRequest, openRequest, type RequestSettings } from './request.mts';

/** Takes an address out of requests for files, and out of what came by them. @returns where it has to stay */
export async function eraseSender(vault: Vault, address: string): Promise<string[]> {
	const { database } = vault;
	const problems = await eraseFromRequests(vault, address);
	const sent = database.selectFrom('containers').select('id').where('sender', '=', address);
	for (const { id } of await sent.execute()) {
		if (await eraseFromContainer(vault, id)) continue;
		problems.push(`Container ${id} is on hold: its sender stays.`);
	}
	return problems;
}

async function eraseFromRequests({ database, keys }: Vault, address: string) {
	const problems: string[] = [];
	const isOther = (sender: string) => normalizeRecipient(sender) !== address;
	for await (const { id, settings } of readAllRequests(database)) {
		const { senders } = JSON.parse(settings) as RequestSettings;
		if (senders.every(isOther)) continue;
		const change = database.transaction().execute(async (queries) => {
			const row = await findRequestForUpdate(queries, id);
			if (row === undefined) return;
			const before = openRequest(keys, row).settings;
			const after = { ...before, senders: before.senders.filter(isOther) };
			await changeRequest(queries, keys, row, { settings: stringify(after) });
		});
		await change.catch(({ message }: Error) => problems.push(message));
	}
	return problems;
}

/** The seal has the sender in it: it is made anew. @returns false where the container is on hold */
async function eraseFromContainer({ database, keys }: Vault, id: string): Promise<boolean> {
	return await database.transaction().execute(async (queries) => {
		const row = await findContainerForUpdate(queries, id);
		if (row === undefined) return true;
		if (row.held_date !== null) return false;
		const sender = ERASED.user;
		await updateSealed({ queries, keys }, row, openSeal(keys, row), { sender });
		return true;
	});
}
