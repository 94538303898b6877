import { randomUUID } from 'node:crypto';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { SettingError, type Config } from './config.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { createMasterKey, masterKeyFiles } from './containers/seal.mts';
import { inspectContainers, resealContainers, type Vault } from './containers/vault.mts';
import type { UserRow } from './database/schema.mts';
import { addApiKey, createUser, findUser } from './database/users.mts';
import { openVault } from './openVault.mts';
import { eraseAddress, exportAddress } from './privacy.mts';
import { findLeftovers, isOld } from './upkeep.mts';

interface Invocation {
	vault: Vault;
	config: Config;
	argument: string;
	role: UserRow['role'];
}

/** What a command prints, and whether all is well. */
type Outcome = { lines: string[]; isWell?: boolean };
type Command = (invocation: Invocation) => Promise<Outcome>;

const SHOWN_ONCE = '(shown only now, so keep it)';

/** By their words, with what they do. `<…>` stands for an argument. */
const COMMANDS: Record<string, [help: string, run: Command]> = {
	'users add <email>': ['Add a user (--admin: an administrator) with an API key', addUser],
	'users export <email>': ['Print as JSON what is stored about an address', exportUser],
	'users erase <email>': ['Remove what is stored about an address', eraseUser],
	'keys create <email>': ['Create another API key for a user', createKey],
	'keys list': ['List the API keys', listKeys],
	'keys revoke <id>': ['End an API key', revokeKey],
	'master-key rotate': ['Seal all containers with a new master key', rotateMasterKey],
	check: ['Check every container, and the storage', check],
};

export const COMMANDS_HELP = Object.entries(COMMANDS)
	.map(([usage, [help]]) => `  service ${usage.padEnd(22)} ${help}\n`)
	.join('');

/** Runs a command beside the service. @returns the exit code. @throws SettingError for one that doesn't exist */
export async function runCommand(config: Config, words: string[], role: UserRow['role']) {
	const usage = Object.keys(COMMANDS).find((known) => {
		const fits = (word: string, index: number) => word.startsWith('<') || word === words[index];
		return known.split(' ').length === words.length && known.split(' ').every(fits);
	});
	if (!usage)
		throw new SettingError(`There is no command "${words.join(' ')}". See service --help.`);
	const [, run] = COMMANDS[usage];
	const vault = await openVault(config);
	try {
		const { lines, isWell = true } = await run({ vault, config, argument: words.at(-1)!, role });
		process.stdout.write(lines.map((line) => `${line}\n`).join(''));
		return isWell ? 0 : 1;
	} finally {
		await vault.database.destroy();
	}
}

async function addUser({ vault: { database }, argument: email, role }: Invocation) {
	const address = parseAddress(email);
	const existing = await findUser(database, 'address', address);
	if (existing) throw new SettingError(`There is already a user ${email}.`);
	return await database.transaction().execute(async (queries) => {
		const { id } = await createUser(queries, { email, address, role });
		const { key } = await addApiKey(queries, id);
		return { lines: [`User ID   ${id}`, `API key   ${key} ${SHOWN_ONCE}`] };
	});
}

async function createKey({ vault: { database }, argument: email }: Invocation) {
	const user = await findUser(database, 'address', parseAddress(email));
	if (!user) throw new SettingError(`There is no user ${email}.`);
	const { id, key } = await addApiKey(database, user.id);
	return { lines: [`Key ID    ${id}`, `API key   ${key} ${SHOWN_ONCE}`] };
}

async function listKeys({ vault: { database } }: Invocation) {
	const keys = await database
		.selectFrom('api_keys as key')
		.innerJoin('users', 'users.id', 'key.user_id')
		.select(['key.id', 'email', 'key.created_date', 'revoked_date'])
		.orderBy('key.created_date')
		.execute();
	const describe = (key: (typeof keys)[number]) => {
		const state = key.revoked_date === null ? 'valid' : `revoked ${key.revoked_date}`;
		return `${key.id}   ${key.email}   created ${key.created_date}   ${state}`;
	};
	return { lines: keys.map(describe) };
}

async function revokeKey({ vault: { database }, argument: id }: Invocation) {
	const valid = database.updateTable('api_keys').where('revoked_date', 'is', null);
	const change = { revoked_date: new Date().toISOString() };
	const revoked = await valid.set(change).where('id', '=', id).returning('id').executeTakeFirst();
	if (!revoked) throw new SettingError(`There is no valid API key with the ID ${id}.`);
	return { lines: ['The API key is revoked.'] };
}

async function exportUser({ vault, argument: email }: Invocation) {
	return { lines: [JSON.stringify(await exportAddress(vault, parseAddress(email)), null, 2)] };
}

async function eraseUser({ vault, argument: email }: Invocation) {
	const remains = await eraseAddress(vault, parseAddress(email));
	if (remains.length > 0) return { lines: remains, isWell: false };
	return { lines: ['Nothing is stored about this address any more.'] };
}

/** Seals every container again. Other processes go on: they find both keys. */
async function rotateMasterKey({ vault, config }: Invocation) {
	const files = masterKeyFiles(config.folder);
	if (config.masterKey === undefined) {
		copyFileSync(files.current, files.previous);
		const temporary = `${files.current}.${randomUUID()}`;
		writeFileSync(temporary, `${createMasterKey()}\n`, { mode: 0o600, flush: true });
		renameSync(temporary, files.current);
	} else if (config.previousMasterKey === undefined) {
		const all = 'and start all processes again with both';
		throw new SettingError(
			`Set MASTER_KEY_PREVIOUS to the old key, MASTER_KEY to a new one, ${all}.`,
		);
	}
	const count = await resealContainers(vault);
	const former = config.masterKey === undefined ? files.previous : 'MASTER_KEY_PREVIOUS';
	const sealed = `${describeCount(count)} sealed with the new master key.`;
	return { lines: [sealed, `The old one isn't needed any more: ${former}`] };
}

async function check({ vault }: Invocation) {
	const { count, problems: lines } = await inspectContainers(vault);
	const unfinished: string[] = [];
	for await (const file of findLeftovers(vault)) {
		if (isOld(file))
			lines.push(`The file ${file.name} belongs to no container. The next start removes it.`);
		else
			unfinished.push(`The file ${file.name} belongs to an upload that is running or broke off.`);
	}
	const isWell = lines.length === 0;
	const state = isWell ? 'everything is in order' : `${lines.length} problems`;
	return { lines: [...lines, ...unfinished, `${describeCount(count)}: ${state}.`], isWell };
}

const describeCount = (count: number) => (count === 1 ? '1 container' : `${count} containers`);

function parseAddress(email: string): string {
	const address = normalizeAddress(email);
	if (address === undefined)
		throw new SettingError(`The address "${email}" is not an email address.`);
	return address;
}
