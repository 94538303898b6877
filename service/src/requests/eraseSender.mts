import stringify from 'safe-stable-stringify';
import { normalizeRecipient } from '../containers/addresses.mts';
import { ERASED } from '../containers/proofs.mts';
import { openSeal } from '../containers/seal.mts';
import { updateSealed } from '../containers/sealedRows.mts';
import type { Vault } from '../containers/vault.mts';
import { findRequestForUpdate, readAllRequests } from '../database/fileRequests.mts';
import { findContainerForUpdate } from '../database/queries.mts';
import { SettingError } from '../errors.mts';
import { changeRequest, openRequest, readRequestSettings } from './request.mts';

/** Takes an address out of requests for files, and out of what came by them. @returns where it has to stay */
export async function eraseSender(vault: Vault, address: string): Promise<string[]> {
	const { database } = vault;
	const problems = await eraseFromRequests(vault, address);
	const sent = database.selectFrom('containers').select('id').where('sender', '=', address);
	for (const { id } of await sent.execute()) {
		const erased = eraseFromContainer(vault, id);
		await erased.catch(({ message }: Error) => problems.push(message));
	}
	return problems;
}

async function eraseFromRequests({ database, keys }: Vault, address: string) {
	const problems: string[] = [];
	const isOther = (sender: string) => normalizeRecipient(sender) !== address;
	for await (const request of readAllRequests(database)) {
		// One that can't be read can name them: opening it says what is wrong.
		if (readRequestSettings(request).senders?.every(isOther)) continue;
		const change = database.transaction().execute(async (queries) => {
			const row = await findRequestForUpdate(queries, request.id);
			if (row === undefined) return;
			const before = openRequest(keys, row).settings;
			const after = { ...before, senders: before.senders.filter(isOther) };
			await changeRequest(queries, keys, row, { settings: stringify(after) });
		});
		await change.catch(({ message }: Error) => problems.push(message));
	}
	return problems;
}

/** The seal has the sender in it: it is made anew. @throws Error where the sender has to stay */
async function eraseFromContainer({ database, keys }: Vault, id: string): Promise<void> {
	await database.transaction().execute(async (queries) => {
		const row = await findContainerForUpdate(queries, id);
		if (row === undefined) return;
		if (row.held_date !== null) {
			throw new SettingError(`Container ${id} is on hold: its sender stays.`);
		}
		const sender = ERASED.user;
		await updateSealed({ queries, keys }, row, openSeal(keys, row), { sender });
	});
}
