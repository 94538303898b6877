import { isNamed, normalizeRecipient } from './containers/addresses.mts';
import type { DrmRules } from './containers/rules.mts';
import { changeRules, type Vault } from './containers/vault.mts';
import { readAllContainers } from './database/containerRows.mts';
import { findUser } from './database/users.mts';

/** What stands in the place of an address that was erased. */
const ERASED = 'erased';

/** @returns all that is stored about an address, but for secrets */
export async function exportAddress({ database }: Vault, address: string) {
	const recipientOf = [];
	for await (const { id, name, rules } of readAllContainers(database)) {
		const { recipients = [] } = JSON.parse(rules) as DrmRules;
		if (isNamed(recipients, address)) recipientOf.push({ uuid: id, name });
	}
	const user = (await findUser(database, 'address', address)) ?? null;
	const contacts = database.selectFrom('contacts').selectAll().where('address', '=', address);
	const events = database.selectFrom('events').selectAll().where('user', '=', address);
	const [ofOthers, done] = [await contacts.execute(), await events.execute()];
	return { address, user, recipientOf, contacts: ofOthers, events: done };
}

/** Removes an address wherever it stands. @returns what has to stay, as sentences */
export async function eraseAddress(vault: Vault, address: string): Promise<string[]> {
	const { database } = vault;
	const user = await findUser(database, 'address', address);
	if (user !== undefined) {
		const owned = database.selectFrom('containers').select('id').where('owner_id', '=', user.id);
		if (await owned.executeTakeFirst()) {
			return [`The user ${user.email} has containers. Nothing was removed: delete them first.`];
		}
		await database.deleteFrom('api_keys').where('user_id', '=', user.id).execute();
		await database.deleteFrom('contacts').where('user_id', '=', user.id).execute();
		await database.deleteFrom('events').where('owner_id', '=', user.id).execute();
		await database.deleteFrom('users').where('id', '=', user.id).execute();
	}
	const remains: string[] = [];
	const isOther = (recipient: string) => normalizeRecipient(recipient) !== address;
	for await (const { id, rules } of readAllContainers(database)) {
		const { recipients = [], dynamic } = JSON.parse(rules) as DrmRules;
		if (recipients.every(isOther)) continue;
		const change = (before: DrmRules) => ({ recipients: before.recipients?.filter(isOther) });
		if (dynamic) await changeRules(vault, id, { user: ERASED }, change);
		else remains.push(`The rules of container ${id} are fixed: delete it.`);
	}
	await database.deleteFrom('contacts').where('address', '=', address).execute();
	await database.deleteFrom('codes').where('address', '=', address).execute();
	const anonymous = { user: ERASED, detail: '{}' };
	await database.updateTable('events').set(anonymous).where('user', '=', address).execute();
	return remains;
}
