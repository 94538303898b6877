import { randomUUID } from 'node:crypto';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { SettingError, type Config } from './config.mts';
import { createMasterKey, masterKeyFiles } from './containers/masterKeys.mts';
import { inspectContainers, resealContainers } from './containers/inspect.mts';
import { normalizeAddress } from './containers/addresses.mts';
import type { Vault } from './containers/vault.mts';
import { createApiKey, createUser, findUserByAddress, storeApiKey } from './database/users.mts';
import type { UserRow } from './database/schema.mts';
import { eraseAddress, exportAddress } from './privacy.mts';
import { openVault } from './start.mts';
import { findLeftovers, isOld } from './upkeep.mts';

export const COMMANDS_HELP = `  service users add <email> [--admin]    Add a user with an API key
  service users export <email>           Print as JSON what is stored about an address
  service users erase <email>            Remove what is stored about an address
  service keys create <email>            Create another API key
  service keys list                      List the API keys
  service keys revoke <id>               End an API key
  service master-key rotate              Seal all containers with a new master key
  service check                          Check every container, and the storage
`;

interface Invocation {
	vault: Vault;
	config: Config;
	argument: string;
	isAdmin: boolean;
}

/** @returns the exit code */
type Command = (invocation: Invocation) => Promise<number>;

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** By their words. `needs` names the argument that comes behind them. */
const COMMANDS: Record<string, { run: Command; needs?: string }> = {
	'users add': { run: addUser, needs: 'email' },
	'users export': { run: exportUser, needs: 'email' },
	'users erase': { run: eraseUser, needs: 'email' },
	'keys create': { run: createKey, needs: 'email' },
	'keys list': { run: listKeys },
	'keys revoke': { run: revokeKey, needs: 'id' },
	'master-key rotate': { run: rotateMasterKey },
	check: { run: check },
};

/**
 * Runs a command beside the service.
 *
 * @returns the exit code
 * @throws SettingError for a command that doesn't exist
 */
export async function runCommand(
	config: Config,
	words: string[],
	{ isAdmin }: { isAdmin: boolean },
): Promise<number> {
	const name = Object.keys(COMMANDS).find((known) => words.join(' ').startsWith(known));
	const [argument, ...rest] = words.slice(name?.split(' ').length ?? 0);
	const command = name === undefined ? undefined : COMMANDS[name];
	const isComplete = (argument === undefined) === (command?.needs === undefined);
	if (command === undefined || !isComplete || rest.length > 0) {
		const usage = command?.needs === undefined ? name : `${name} <${command.needs}>`;
		const advice = usage === undefined ? 'See service --help' : `Use: service ${usage}`;
		throw new SettingError(`"${words.join(' ')}" is no command. ${advice}.`);
	}
	const vault = await openVault(config);
	try {
		return await command.run({ vault, config, argument: argument ?? '', isAdmin });
	} finally {
		await vault.database.destroy();
	}
}

async function addUser({
	vault: { database },
	argument: email,
	isAdmin,
}: Invocation): Promise<number> {
	const address = parseAddress(email);
	if ((await findUserByAddress(database, address)) !== undefined) {
		throw new SettingError(`There is already a user ${email}.`);
	}
	const key = createApiKey();
	const { id } = await database.transaction().execute(async (transaction) => {
		const user = await createUser(transaction, {
			email,
			address,
			role: isAdmin ? 'admin' : 'user',
		});
		await storeApiKey(transaction, user.id, key);
		return user;
	});
	print(`User ID   ${id}\nAPI key   ${key} (shown only now, so keep it)`);
	return 0;
}

async function createKey({ vault: { database }, argument: email }: Invocation): Promise<number> {
	const user = await requireUser(database, email);
	const key = createApiKey();
	const id = await storeApiKey(database, user.id, key);
	print(`Key ID    ${id}\nAPI key   ${key} (shown only now, so keep it)`);
	return 0;
}

async function listKeys({ vault: { database } }: Invocation): Promise<number> {
	const keys = await database
		.selectFrom('api_keys')
		.innerJoin('users', 'users.id', 'api_keys.user_id')
		.select(['api_keys.id', 'email', 'api_keys.created_date', 'revoked_date'])
		.orderBy('api_keys.created_date')
		.execute();
	for (const { id, email, created_date, revoked_date } of keys) {
		const state = revoked_date === null ? 'valid' : `revoked ${revoked_date}`;
		print([id, email, `created ${created_date}`, state].join('   '));
	}
	return 0;
}

async function revokeKey({ vault: { database }, argument: id }: Invocation): Promise<number> {
	const { numUpdatedRows } = await database
		.updateTable('api_keys')
		.set({ revoked_date: new Date().toISOString() })
		.where('id', '=', id)
		.where('revoked_date', 'is', null)
		.executeTakeFirst();
	if (numUpdatedRows === 0n) throw new SettingError(`There is no valid API key with the ID ${id}.`);
	print('The API key is revoked.');
	return 0;
}

async function exportUser({ vault, argument: email }: Invocation): Promise<number> {
	print(JSON.stringify(await exportAddress(vault, parseAddress(email)), null, 2));
	return 0;
}

async function eraseUser({ vault, argument: email }: Invocation): Promise<number> {
	const problems = await eraseAddress(vault, parseAddress(email));
	for (const problem of problems) print(problem);
	if (problems.length === 0) print('Nothing is stored about this address any more.');
	return problems.length === 0 ? 0 : 1;
}

/** Seals every container again. Other processes go on: they find both keys. */
async function rotateMasterKey({ vault, config }: Invocation): Promise<number> {
	const files = masterKeyFiles(config.folder);
	if (config.masterKey === undefined) {
		copyFileSync(files.current, files.previous);
		const temporary = `${files.current}.${randomUUID()}`;
		writeFileSync(temporary, `${createMasterKey()}\n`, { mode: 0o600, flush: true });
		renameSync(temporary, files.current);
	} else if (config.previousMasterKey === undefined) {
		throw new SettingError(
			'Set MASTER_KEY to a new key and MASTER_KEY_PREVIOUS to the old one, start all processes again with both, and then run this command.',
		);
	}
	const count = await resealContainers(vault);
	const former = config.masterKey === undefined ? files.previous : 'MASTER_KEY_PREVIOUS';
	print(
		`${describeCount(count)} sealed with the new master key. You can remove the old one (${former}).`,
	);
	return 0;
}

async function check({ vault }: Invocation): Promise<number> {
	let count = 0;
	let problems = 0;
	for await (const problem of inspectContainers(vault)) {
		count += 1;
		if (problem === undefined) continue;
		problems += 1;
		print(problem);
	}
	for await (const file of findLeftovers(vault)) {
		const isWrong = isOld(file);
		if (isWrong) problems += 1;
		const reason = isWrong
			? 'belongs to no container. The next start of the service removes it'
			: 'belongs to an upload that is running or broke off. It is removed after a day';
		print(`The file ${file.name} ${reason}.`);
	}
	print(
		`${describeCount(count)}: ${problems === 0 ? 'everything is in order' : `${problems} problems`}.`,
	);
	return problems === 0 ? 0 : 1;
}

const describeCount = (count: number) => (count === 1 ? '1 container' : `${count} containers`);

function parseAddress(email: string): string {
	const address = normalizeAddress(email);
	if (address === undefined) throw new SettingError(`"${email}" is no email address.`);
	return address;
}

async function requireUser(database: Vault['database'], email: string): Promise<UserRow> {
	const user = await findUserByAddress(database, parseAddress(email));
	if (user === undefined) throw new SettingError(`There is no user ${email}.`);
	return user;
}
