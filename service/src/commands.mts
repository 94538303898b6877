import { randomUUID } from 'node:crypto';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { SettingError, type Config } from './config.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { inspectContainers, resealContainers } from './containers/inspect.mts';
import { createMasterKey, masterKeyFiles } from './containers/masterKeys.mts';
import type { Vault } from './containers/vault.mts';
import type { UserRow } from './database/schema.mts';
import { addApiKey, createUser, findUser } from './database/users.mts';
import { openVault } from './openVault.mts';
import { eraseAddress, exportAddress } from './privacy.mts';
import { findLeftovers, isOld } from './upkeep.mts';

export const COMMANDS_HELP = `  service users add <email> [--admin]    Add a user with an API key
  service users export <email>           Print as JSON what is stored about an address
  service users erase <email>            Remove what is stored about an address
  service keys create <email>            Create another API key for a user
  service keys list                      List the API keys
  service keys revoke <id>               End an API key
  service master-key rotate              Seal all containers with a new master key
  service check                          Check every container, and the storage
`;

interface Invocation {
	vault: Vault;
	config: Config;
	argument: string;
	role: UserRow['role'];
}

/** @returns whether all is well */
type Command = (invocation: Invocation) => Promise<boolean>;

/** By their words. `<…>` stands for an argument. */
const COMMANDS: Record<string, Command> = {
	'users add <email>': addUser,
	'users export <email>': exportUser,
	'users erase <email>': eraseUser,
	'keys create <email>': createKey,
	'keys list': listKeys,
	'keys revoke <id>': revokeKey,
	'master-key rotate': rotateMasterKey,
	check,
};

/** Runs a command beside the service. @returns the exit code. @throws SettingError for one that doesn't exist */
export async function runCommand(config: Config, words: string[], role: UserRow['role']) {
	const isMeant = (usage: string) => {
		const expected = usage.split(' ');
		const fits = (word: string, index: number) => word.startsWith('<') || word === words[index];
		return expected.length === words.length && expected.every(fits);
	};
	const usage = Object.keys(COMMANDS).find(isMeant);
	if (usage === undefined) {
		throw new SettingError(`"${words.join(' ')}" is no command. See service --help.`);
	}
	const vault = await openVault(config);
	try {
		const isWell = await COMMANDS[usage]({ vault, config, argument: words.at(-1)!, role });
		return isWell ? 0 : 1;
	} finally {
		await vault.database.destroy();
	}
}

function print(...lines: string[]): true {
	process.stdout.write(lines.map((line) => `${line}\n`).join(''));
	return true;
}

const describeKey = (key: string) => `API key   ${key} (shown only now, so keep it)`;

async function addUser({ vault: { database }, argument: email, role }: Invocation) {
	const address = parseAddress(email);
	const existing = await findUser(database, 'address', address);
	if (existing !== undefined) throw new SettingError(`There is already a user ${email}.`);
	return await database.transaction().execute(async (queries) => {
		const { id } = await createUser(queries, { email, address, role });
		return print(`User ID   ${id}`, describeKey((await addApiKey(queries, id)).key));
	});
}

async function createKey({ vault: { database }, argument: email }: Invocation) {
	const user = await findUser(database, 'address', parseAddress(email));
	if (user === undefined) throw new SettingError(`There is no user ${email}.`);
	const { id, key } = await addApiKey(database, user.id);
	return print(`Key ID    ${id}`, describeKey(key));
}

async function listKeys({ vault: { database } }: Invocation) {
	const keys = await database
		.selectFrom('api_keys')
		.innerJoin('users', 'users.id', 'api_keys.user_id')
		.select(['api_keys.id', 'email', 'api_keys.created_date', 'revoked_date'])
		.orderBy('api_keys.created_date')
		.execute();
	const lines = keys.map(({ id, email, created_date, revoked_date }) => {
		const state = revoked_date === null ? 'valid' : `revoked ${revoked_date}`;
		return `${id}   ${email}   created ${created_date}   ${state}`;
	});
	return print(...lines);
}

async function revokeKey({ vault: { database }, argument: id }: Invocation) {
	const { numUpdatedRows } = await database
		.updateTable('api_keys')
		.set({ revoked_date: new Date().toISOString() })
		.where('id', '=', id)
		.where('revoked_date', 'is', null)
		.executeTakeFirst();
	if (numUpdatedRows === 0n) throw new SettingError(`There is no valid API key with the ID ${id}.`);
	return print('The API key is revoked.');
}

async function exportUser({ vault, argument: email }: Invocation) {
	return print(JSON.stringify(await exportAddress(vault, parseAddress(email)), null, 2));
}

async function eraseUser({ vault, argument: email }: Invocation) {
	const remains = await eraseAddress(vault, parseAddress(email));
	if (remains.length === 0) return print('Nothing is stored about this address any more.');
	return !print(...remains);
}

/** Seals every container again. Other processes go on: they find both keys. */
async function rotateMasterKey({ vault, config }: Invocation) {
	const files = masterKeyFiles(config.folder);
	const isInFolder = config.masterKey === undefined;
	if (!isInFolder && config.previousMasterKey === undefined) {
		throw new SettingError(
			'First set MASTER_KEY to a new key and MASTER_KEY_PREVIOUS to the old one, and start all processes again with both.',
		);
	}
	if (isInFolder) {
		copyFileSync(files.current, files.previous);
		const temporary = `${files.current}.${randomUUID()}`;
		writeFileSync(temporary, `${createMasterKey()}\n`, { mode: 0o600, flush: true });
		renameSync(temporary, files.current);
	}
	const count = await resealContainers(vault);
	const former = isInFolder ? files.previous : 'MASTER_KEY_PREVIOUS';
	return print(
		`${describeCount(count)} sealed with the new master key.`,
		`The old one isn't needed any more: ${former}`,
	);
}

async function check({ vault }: Invocation) {
	let count = 0;
	const problems: string[] = [];
	for await (const problem of inspectContainers(vault)) {
		count += 1;
		if (problem !== undefined) problems.push(problem);
	}
	for await (const file of findLeftovers(vault)) {
		if (isOld(file))
			problems.push(`The file ${file.name} belongs to no container. The next start removes it.`);
		else print(`The file ${file.name} belongs to an upload that is running or broke off.`);
	}
	const state = problems.length === 0 ? 'everything is in order' : `${problems.length} problems`;
	print(...problems, `${describeCount(count)}: ${state}.`);
	return problems.length === 0;
}

const describeCount = (count: number) => (count === 1 ? '1 container' : `${count} containers`);

function parseAddress(email: string): string {
	const address = normalizeAddress(email);
	if (address === undefined) throw new SettingError(`"${email}" is no email address.`);
	return address;
}
