import { changeRules } from './containers/changeRules.mts';
import { isNamed, normalizeRecipient } from './containers/addresses.mts';
import type { DrmRules } from './containers/rules.mts';
import type { Vault } from './containers/vault.mts';
import { readAllContainers } from './database/containerRows.mts';
import type { ContainerRow } from './database/schema.mts';

/** What stands in the place of an address that was erased. */
const ERASED = 'erased';

const namesAddress = (rules: string, address: string) =>
	((JSON.parse(rules) as DrmRules).recipients ?? []).some(
		(name) => normalizeRecipient(name) === address,
	);

/** @returns all that is stored about an address, but for secrets */
export async function exportAddress({ database }: Vault, address: string) {
	const containers = [];
	for await (const { id, name, rules } of readAllContainers(database)) {
		if (isNamed((JSON.parse(rules) as DrmRules).recipients ?? [], address))
			containers.push({ uuid: id, name });
	}
	const contacts = await database
		.selectFrom('contacts')
		.select(['user_id', 'email', 'fields', 'created_date', 'updated_date'])
		.where('address', '=', address)
		.execute();
	const events = await database
		.selectFrom('events')
		.selectAll()
		.where('user', '=', address)
		.execute();
	const users = database.selectFrom('users').selectAll().where('address', '=', address);
	return {
		address,
		user: (await users.executeTakeFirst()) ?? null,
		recipientOf: containers,
		contacts: contacts.map(({ fields, ...rest }) => ({
			...rest,
			fields: JSON.parse(fields) as object,
		})),
		events: events.map(({ detail, ...rest }) => ({
			...rest,
			detail: JSON.parse(detail) as object,
		})),
	};
}

/**
 * Removes an address: contacts, codes, its name in events, and its place among recipients.
 *
 * @returns what has to stay, as sentences
 */
export async function eraseAddress(vault: Vault, address: string): Promise<string[]> {
	const { database } = vault;
	const user = await database
		.selectFrom('users')
		.selectAll()
		.where('address', '=', address)
		.executeTakeFirst();
	const problems: string[] = [];
	if (user !== undefined) {
		const owned = database
			.selectFrom('containers')
			.select('id')
			.where('owner_id', '=', user.id)
			.limit(1);
		if ((await owned.executeTakeFirst()) !== undefined) {
			return [`The user ${user.email} has containers. Delete them first. Nothing was removed.`];
		}
		await database.transaction().execute(async (transaction) => {
			await transaction.deleteFrom('api_keys').where('user_id', '=', user.id).execute();
			await transaction.deleteFrom('contacts').where('user_id', '=', user.id).execute();
			await transaction.deleteFrom('events').where('owner_id', '=', user.id).execute();
			await transaction.deleteFrom('users').where('id', '=', user.id).execute();
		});
	}
	for await (const { id, name, rules } of readAllContainers(database)) {
		if (!namesAddress(rules, address)) continue;
		if (!(JSON.parse(rules) as DrmRules).dynamic) {
			problems.push(`The rules of container ${id} ("${name}") are fixed: delete it.`);
			continue;
		}
		await changeRules(vault, id, {
			change: ({ recipients = [] }) => ({
				recipients: recipients.filter((recipient) => normalizeRecipient(recipient) !== address),
			}),
			by: { user: ERASED },
			assertAllowed: (row) => row as ContainerRow,
			isExpected: () => true,
		});
	}
	await database.deleteFrom('contacts').where('address', '=', address).execute();
	await database.deleteFrom('codes').where('address', '=', address).execute();
	await database
		.updateTable('events')
		.set({ user: ERASED, detail: '{}' })
		.where('user', '=', address)
		.execute();
	return problems;
}
