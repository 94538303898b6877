import { openSeal } from '../containers/seal.mts';
import { updateSealed } from '../containers/sealedRows.mts';
import { transact } from '../containers/trail.mts';
import type { Vault } from '../containers/vault.mts';
import { findRequestForUpdate, readAllRequests } from '../database/fileRequests.mts';
import * as rows from '../database/queries.mts';
import type { ContactRow, UserRow } from '../database/schema.mts';
import { SettingError } from '../errors.mts';
import { changeRequest } from '../requests/request.mts';
import { describeCount, describeRequests, getUser, type VaultInvocation } from './command.mts';

interface Transfer {
	from: UserRow;
	to: UserRow;
}

/** Gives what is a user's to another one. Each container by itself, so that it can be run again where it ended early. */
export async function transferUser({ vault, args: [giver, taker] }: VaultInvocation) {
	const { database } = vault;
	const from = await getUser(database, giver);
	const to = await getUser(database, taker);
	if (from.id === to.id) throw new SettingError(`Both addresses are those of ${to.email}.`);
	if (to.disabled_date !== null) throw new SettingError(`The user ${to.email} is disabled.`);
	const problems: string[] = [];
	const count = async (all: AsyncIterable<{ id: string }>, move: typeof moveContainer) => {
		let moved = 0;
		for await (const { id } of all) {
			const isMoved = await move(vault, id, { from, to }).catch((error: Error) => {
				problems.push(error.message);
				return false;
			});
			if (isMoved) moved += 1;
		}
		return moved;
	};
	const own = { owner_id: from.id };
	// First: what comes by one of them from then on belongs to the other user.
	const requests = await count(readAllRequests(database, own), moveRequest);
	const containers = await count(rows.readAllContainers(database, own), moveContainer);
	const contacts = await finishTransfer(vault, { from, to }, { containers, requests });
	const ofGiver = database.selectFrom('contacts').selectAll().where('user_id', '=', from.id);
	const left = describeContactsLeft(await ofGiver.orderBy('seq').execute(), { from, to });
	const moved = `${to.email} now has ${describeCount(containers)}, ${describeRequests(requests)} and ${contacts} of ${from.email}.`;
	return { problems, lines: [moved, ...left] };
}

/** The seal has the owner in it: it is made anew. @returns false where another owner has the container meanwhile */
async function moveContainer(vault: Vault, id: string, { from, to }: Transfer): Promise<boolean> {
	return await transact(vault, async (queries, record) => {
		const row = await rows.findContainerForUpdate(queries, id);
		if (row?.owner_id !== from.id) return false;
		const { keys } = vault;
		await updateSealed({ queries, keys }, row, openSeal(keys, row), { owner_id: to.id });
		const detail = { from: from.id, to: to.id };
		const about = { ownerId: to.id, container: row, user: '', detail };
		await record({ ...about, action: 'container.transfer' });
		return true;
	});
}

/** @returns false where another owner has the request meanwhile, or it was closed */
async function moveRequest({ database, keys }: Vault, id: string, { from, to }: Transfer) {
	return await database.transaction().execute(async (queries) => {
		const row = await findRequestForUpdate(queries, id);
		if (row?.owner_id !== from.id) return false;
		await changeRequest(queries, keys, row, { owner_id: to.id });
		return true;
	});
}

type Counts = { containers: number; requests: number };

/** Moves the contacts, and records the whole in both trails. @returns how many contacts, in words */
async function finishTransfer(vault: Vault, { from, to }: Transfer, counts: Counts) {
	return await transact(vault, async (queries, record) => {
		const contacts = await rows.moveContacts(queries, from.id, to.id);
		const detail = { from: from.id, to: to.id, ...counts, contacts };
		// Always in the same order, so that two transfers don't wait for each other.
		for (const ownerId of [from.id, to.id].sort()) {
			await record({ action: 'user.transfer', ownerId, user: '', detail });
		}
		return contacts === 1 ? '1 contact' : `${contacts} contacts`;
	});
}

function describeContactsLeft(contacts: ContactRow[], { from, to }: Transfer): string[] {
	if (contacts.length === 0) return [];
	const title = `${to.email} has other contacts with these addresses, so those of ${from.email} stay:`;
	const lines = contacts.map(({ email, fields }) => `  ${email} ${fields}`);
	return [title, ...lines];
}
