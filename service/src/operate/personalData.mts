import { text } from 'node:stream/consumers';
import type { Config } from '../config.mts';
import { isNamed, normalizeRecipient } from '../containers/addresses.mts';
import type { DrmRules } from '../containers/rules.mts';
import { ERASED } from '../containers/proofs.mts';
import { transact } from '../containers/trail.mts';
import { eraseFromEvents } from '../containers/trailUpkeep.mts';
import { indexContainers, readRecipients } from '../containers/recipientIndex.mts';
import { changeRules } from '../containers/changeRules.mts';
import type { Vault } from '../containers/vault.mts';
import { forgetDeleted } from '../database/forget.mts';
import { readAllRequests } from '../database/fileRequests.mts';
import { findUser, listAdmins, readAllContainers } from '../database/queries.mts';
import { listIndexed } from '../database/recipients.mts';
import type { Database, Queries, UserRow } from '../database/schema.mts';
import { attempt, ServiceError, SettingError } from '../errors.mts';
import { openOutbox } from '../openMailer.mts';
import { eraseSender } from '../requests/eraseSender.mts';
import { readRequestSettings } from '../requests/request.mts';
import { readAddress, type VaultInvocation } from './command.mts';

/** Prints what is stored about an address. */
export async function exportAddress({ vault: { database }, args: [email] }: VaultInvocation) {
	const address = readAddress(email);
	const user = (await findUser(database, 'address', address)) ?? null;
	const ownerOf: object[] = [];
	const recipientOf: object[] = [];
	const sent: object[] = [];
	for await (const row of readAllContainers(database)) {
		const { id: uuid, name, owner_id, sender } = row;
		if (owner_id === user?.id) ownerOf.push({ uuid, name });
		if (isNamed(readRecipients(row), address)) recipientOf.push({ uuid, name });
		if (sender === address) sent.push({ uuid, name });
	}
	const requests = await readRequestsOf(database, address, user?.id);
	const apiKeys = user === null ? [] : await readApiKeys(database, user.id);
	const ofAddress = database.selectFrom('contacts').selectAll().where('address', '=', address);
	const contacts = await ofAddress.execute();
	const names = [address, user?.email ?? address];
	const ofNames = database.selectFrom('events').selectAll().where('user', 'in', names);
	const events = await ofNames.execute();
	const ofVisitor = database.selectFrom('shown_pages').selectAll().where('user', '=', address);
	const shownPages = await ofVisitor.execute();
	const found = { address, user, apiKeys, ownerOf, recipientOf, sent, ...requests };
	const more = { contacts, events, shownPages };
	return { lines: [JSON.stringify({ ...found, ...more }, null, 2)] };
}

async function readRequestsOf(database: Database, address: string, userId?: string) {
	const requests: object[] = [];
	const senderOf: object[] = [];
	for await (const row of readAllRequests(database)) {
		const { id: uuid, name, owner_id } = row;
		const { senders = [], message } = readRequestSettings(row);
		if (owner_id === userId) requests.push({ uuid, name, senders, message });
		if (isNamed(senders, address)) senderOf.push({ uuid, name });
	}
	return { requests, senderOf };
}

/** Without their hashes: what is printed can be given to the person. */
async function readApiKeys(database: Database, userId: string) {
	const columns = ['id', 'name', 'scope', 'created_date', 'expires_date', 'revoked_date'] as const;
	const keys = database.selectFrom('api_keys').select(columns).select('last_used_day');
	return await keys.where('user_id', '=', userId).execute();
}

/** Removes what is stored about an address, and says what has to stay. */
export async function eraseAddress({ vault, config, args: [email] }: VaultInvocation) {
	const { database } = vault;
	const address = readAddress(email);
	const user = await findUser(database, 'address', address);
	if (user !== undefined) await eraseUser(vault, user);
	const problems = await eraseRecipient(vault, address, config.calendar.format(new Date()));
	problems.push(...(await eraseSender(vault, address)));
	await database.deleteFrom('contacts').where('address', '=', address).execute();
	await database.deleteFrom('codes').where('address', '=', address).execute();
	await database.deleteFrom('shown_pages').where('user', '=', address).execute();
	await eraseFromResponses(database, address);
	const names = [address, user?.email ?? address];
	await database
		.transaction()
		.execute(async (queries) => await eraseFromEvents(queries, vault.keys, names));
	await eraseMails(config, address);
	await forgetDeleted(database);
	const done = 'Nothing is stored about this address any more.';
	return { problems, lines: problems.length > 0 ? [] : [done] };
}

/** Deletes a user with all that is theirs, but no containers. @throws SettingError where there are some */
async function eraseUser(vault: Vault, { id, email }: UserRow): Promise<void> {
	await transact(vault, async (queries, record) => {
		// First: from here on, nothing comes by them.
		await queries.deleteFrom('requests').where('owner_id', '=', id).execute();
		await checkOwnsNothing(queries, id, email);
		await queries.deleteFrom('api_keys').where('user_id', '=', id).execute();
		await queries.deleteFrom('contacts').where('user_id', '=', id).execute();
		await queries.deleteFrom('idempotency_keys').where('user_id', '=', id).execute();
		await queries.deleteFrom('users').where('id', '=', id).execute();
		for (const ownerId of await listAdmins(queries)) {
			await record({ action: 'user.erase', ownerId, user: '', detail: { user_id: id } });
		}
	});
}

/** @throws SettingError with what has to be done first */
async function checkOwnsNothing(queries: Queries, id: string, email: string): Promise<void> {
	const owned = queries.selectFrom('containers').select('id').where('owner_id', '=', id);
	if (!(await owned.executeTakeFirst())) return;
	const held = await owned.where('held_date', 'is not', null).execute();
	const onHold = held.map((row) => `\nContainer ${row.id} is on hold: it can't be deleted.`);
	throw new SettingError(
		`The user ${email} has containers: give them to another user with "users transfer", or delete them first.${onHold.join('')}`,
	);
}

/** Takes an address out of all rules. @returns where it has to stay */
async function eraseRecipient(vault: Vault, address: string, today: string) {
	const problems: string[] = [];
	const isOther = (recipient: string) => normalizeRecipient(recipient) !== address;
	const change = (before: DrmRules) => ({ recipients: before.recipients?.filter(isOther) });
	for await (const { id, rules, held_date } of readAllContainers(vault.database)) {
		const read = attempt(() => JSON.parse(rules) as DrmRules);
		// Rules that can't be read can name them: changing them says what is wrong.
		const isOfOthers = read && (read.recipients ?? []).every(isOther);
		if (isOfOthers) continue;
		if (held_date !== null) problems.push(`Container ${id} is on hold: its rules stay.`);
		else if (read && !read.dynamic) {
			problems.push(`The rules of container ${id} are fixed: delete it.`);
		} else {
			const changed = changeRules(vault, id, { user: ERASED.user, today }, change);
			await changed.catch((error: Error) => {
				// Its owner can have deleted it meanwhile.
				if (error instanceof ServiceError && error.statusCode === 404) return;
				problems.push(error.message);
			});
		}
	}
	// A legacy process takes people out of rules only.
	const indexed = await listIndexed(vault.database, address);
	if (indexed.length > 0) await indexContainers(vault.database, indexed);
	return problems;
}

/** Out of the lists in them, such as recipients. The key stays: what comes with it again is not done twice. */
async function eraseFromResponses(database: Database, address: string): Promise<void> {
	const isOther = (entry: unknown) =>
		typeof entry !== 'string' || normalizeRecipient(entry) !== address;
	const omit = (_key: string, value: unknown) =>
		Array.isArray(value) ? value.filter(isOther) : value;
	const keys = database.selectFrom('idempotency_keys').select(['holder', 'response']);
	for (const { holder, response } of await keys.execute()) {
		const erased = attempt(() => JSON.stringify(JSON.parse(response ?? '', omit)));
		if (erased === undefined || erased === response) continue;
		const update = database.updateTable('idempotency_keys').set({ response: erased });
		await update.where('holder', '=', holder).execute();
	}
}

async function eraseMails(config: Config, address: string): Promise<void> {
	const outbox = await openOutbox(config);
	for await (const { name } of outbox.list()) {
		const mail = await text(await outbox.read(name, { start: 0, end: Infinity }));
		if (mail.includes(address)) await outbox.remove(name);
	}
}
