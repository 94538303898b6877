import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SettingError, type Config } from './config.mts';
import { isNamed, normalizeAddress, normalizeRecipient } from './containers/addresses.mts';
import { createMasterKey } from './containers/seal.mts';
import type { DrmRules } from './containers/rules.mts';
import { changeRules, inspectContainers, resealContainers } from './containers/vault.mts';
import type { Vault } from './containers/vault.mts';
import * as rows from './database/queries.mts';
import type { UserRow } from './database/schema.mts';
import { findLeftovers, getMasterKeyFile, openOutbox, openVault } from './openVault.mts';
import { writeWhole } from './tls.mts';

type Role = UserRow['role'];
type Invocation = { vault: Vault; config: Config; argument: string; role: Role };

/** Returns what is printed. With problems, which come first, not all is well. */
type Command = (invocation: Invocation) => Promise<{ problems?: string[]; lines: string[] }>;

const COMMANDS: Record<string, [help: string, run: Command]> = {
	'users add <email>': ['Add a user (--admin: an administrator) with an API key', addUser],
	'users export <email>': ['Print as JSON what is stored about an address', exportAddress],
	'users erase <email>': ['Remove what is stored about an address', eraseAddress],
	'keys create <email>': ['Create another API key for a user', createKey],
	'keys list': ['List the API keys', listKeys],
	'keys revoke <id>': ['End an API key', revokeKey],
	'master-key rotate': ['Seal all containers with a new master key', rotateMasterKey],
	check: ['Check every container, and the storage', check],
};

export const COMMANDS_HELP = Object.entries(COMMANDS)
	.map(([usage, [help]]) => `  service ${usage.padEnd(22)} ${help}\n`)
	.join('');

const toPattern = (usage: string) => new RegExp(`^${usage.replace(/<\w+>/, '\\S+')}$`);

export async function runCommand(config: Config, words: string[], role: Role) {
	const command = words.join(' ');
	const found = Object.entries(COMMANDS).find(([usage]) => toPattern(usage).test(command));
	if (!found) throw new SettingError(`There is no command "${command}". See service --help.`);
	const [, [, run]] = found;
	const file = join(config.folder, 'service.db');
	if (!config.databaseUrl && !existsSync(file)) {
		throw new SettingError(`DATA_DIR has no ${file}. Start the service first.`);
	}
	const vault = await openVault(config);
	try {
		const { problems = [], lines } = await run({ vault, config, argument: words.at(-1)!, role });
		process.stdout.write([...problems, ...lines].map((line) => `${line}\n`).join(''));
		return problems.length > 0 ? 1 : 0;
	} finally {
		await vault.database.destroy();
	}
}

async function addUser({ vault: { database }, argument: email, role }: Invocation) {
	const address = parseAddress(email);
	const existing = await rows.findUser(database, 'address', address);
	if (existing) throw new SettingError(`There is already a user ${email}.`);
	return await database.transaction().execute(async (queries) => {
		const { id } = await rows.createUser(queries, { email, address, role });
		const { key } = await rows.addApiKey(queries, id);
		return { lines: [`User ID   ${id}`, describeNewKey(key)] };
	});
}

async function createKey({ vault: { database }, argument: email }: Invocation) {
	const user = await rows.findUser(database, 'address', parseAddress(email));
	if (!user) throw new SettingError(`There is no user ${email}.`);
	const { id, key } = await rows.addApiKey(database, user.id);
	return { lines: [`Key ID    ${id}`, describeNewKey(key)] };
}

const describeNewKey = (key: string) => `API key   ${key} (shown only now, so keep it)`;

async function listKeys({ vault: { database } }: Invocation) {
	const keys = await database
		.selectFrom('api_keys as key')
		.innerJoin('users', 'users.id', 'key.user_id')
		.select(['key.id', 'email', 'key.created_date', 'revoked_date'])
		.orderBy('key.created_date')
		.execute();
	const lines = keys.map(({ id, email, created_date, revoked_date }) => {
		const state = revoked_date === null ? 'valid' : `revoked ${revoked_date}`;
		return `${id}   ${email}   created ${created_date}   ${state}`;
	});
	return { lines };
}

async function revokeKey({ vault: { database }, argument: id }: Invocation) {
	const valid = database.updateTable('api_keys').where('revoked_date', 'is', null);
	const change = { revoked_date: new Date().toISOString() };
	const revoked = await valid.set(change).where('id', '=', id).returning('id').executeTakeFirst();
	if (!revoked) throw new SettingError(`There is no valid API key with the ID ${id}.`);
	return { lines: ['The API key is revoked.'] };
}

async function exportAddress({ vault: { database }, argument: email }: Invocation) {
	const address = parseAddress(email);
	const user = (await rows.findUser(database, 'address', address)) ?? null;
	const [ownerOf, recipientOf]: object[][] = [[], []];
	for await (const { id: uuid, name, rules, owner_id } of rows.readAllContainers(database)) {
		const { recipients = [] } = JSON.parse(rules) as DrmRules;
		if (owner_id === user?.id) ownerOf.push({ uuid, name });
		if (isNamed(recipients, address)) recipientOf.push({ uuid, name });
	}
	const contacts = database.selectFrom('contacts').selectAll().where('address', '=', address);
	const names = [address, user?.email ?? address];
	const events = database.selectFrom('events').selectAll().where('user', 'in', names);
	const found = { contacts: await contacts.execute(), events: await events.execute() };
	return { lines: [JSON.stringify({ address, user, ownerOf, recipientOf, ...found }, null, 2)] };
}

async function eraseAddress({ vault, config, argument: email }: Invocation) {
	const { database } = vault;
	const address = parseAddress(email);
	const user = await rows.findUser(database, 'address', address);
	if (user !== undefined) {
		const owned = database.selectFrom('containers').select('id').where('owner_id', '=', user.id);
		if (await owned.executeTakeFirst()) {
			throw new SettingError(`The user ${user.email} has containers: delete them first.`);
		}
		await database.deleteFrom('api_keys').where('user_id', '=', user.id).execute();
		await database.deleteFrom('contacts').where('user_id', '=', user.id).execute();
		await database.deleteFrom('events').where('owner_id', '=', user.id).execute();
		await database.deleteFrom('idempotency_keys').where('user_id', '=', user.id).execute();
		await database.deleteFrom('users').where('id', '=', user.id).execute();
	}
	const problems: string[] = [];
	const anonymous = { user: 'erased', detail: '{}' };
	const isOther = (recipient: string) => normalizeRecipient(recipient) !== address;
	for await (const { id, rules } of rows.readAllContainers(database)) {
		const { recipients = [], dynamic } = JSON.parse(rules) as DrmRules;
		if (recipients.every(isOther)) continue;
		const change = (before: DrmRules) => ({ recipients: before.recipients?.filter(isOther) });
		if (dynamic) await changeRules(vault, id, { user: anonymous.user }, change);
		else problems.push(`The rules of container ${id} are fixed: delete it.`);
	}
	await database.deleteFrom('contacts').where('address', '=', address).execute();
	await database.deleteFrom('codes').where('address', '=', address).execute();
	const names = [address, user?.email ?? address];
	await database.updateTable('events').set(anonymous).where('user', 'in', names).execute();
	const outbox = await openOutbox(config);
	for await (const { name } of outbox.list()) {
		const mail = await text(await outbox.read(name, { start: 0, end: Infinity }));
		if (mail.includes(address)) await outbox.remove(name);
	}
	await rows.forgetDeleted(database);
	const done = 'Nothing is stored about this address any more.';
	return { problems, lines: problems.length > 0 ? [] : [done] };
}

/** Seals every container again. No key is lost: other processes still seal with it, and backups can need it. */
async function rotateMasterKey({ vault, config }: Invocation) {
	const { masterKey, previousMasterKey } = config;
	const file = getMasterKeyFile(config);
	if (masterKey && !previousMasterKey && !existsSync(file)) {
		throw new SettingError('Set MASTER_KEY_PREVIOUS to the old key, and MASTER_KEY to a new one.');
	}
	if (!masterKey) {
		// A transaction keeps two rotations from writing at the same time.
		await vault.database.transaction().execute(async () => {
			const keys = `${createMasterKey()}\n${readFileSync(file, 'utf8')}`;
			writeWhole(file, keys, { mode: 0o600 });
		});
	}
	const { count, problems } = await resealContainers(vault);
	const sealed = `${describeCount(count)} sealed with the new master key.`;
	const old = previousMasterKey ? 'MASTER_KEY_PREVIOUS' : file;
	return { problems, lines: [sealed, `Older backups need the old one: ${old}`] };
}

async function check({ vault }: Invocation) {
	const { count, problems } = await inspectContainers(vault);
	for await (const name of findLeftovers(vault)) {
		problems.push(`The file ${name} belongs to no container. The next start removes it.`);
	}
	const found = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
	const state = problems.length > 0 ? found : 'everything is in order';
	return { problems, lines: [`${describeCount(count)}: ${state}.`] };
}

const describeCount = (count: number) => (count === 1 ? '1 container' : `${count} containers`);

function parseAddress(email: string): string {
	const address = normalizeAddress(email);
	if (!address) throw new SettingError(`The address "${email}" is not an email address.`);
	return address;
}
