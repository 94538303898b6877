import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { SettingError, type Config } from './config.mts';
import { createMasterKey, masterKeyFiles, openMasterKeys } from './containers/masterKeys.mts';
import type { Vault } from './containers/vault.mts';
import { openDatabase } from './database/open.mts';
import { addApiKey, createUser, findUser, findUserByKey } from './database/users.mts';
import { openStorage } from './storage/storage.mts';

/**
 * Opens the database, the storage and the keys; at the first start, it creates them.
 *
 * @throws SettingError where the master key isn't the one that the containers were sealed with
 */
export async function openVault(config: Config): Promise<Vault> {
	const { folder, masterKey: current, previousMasterKey: previous } = config;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const database = await openDatabase(config.databaseUrl, folder);
	const sealed = await database
		.selectFrom('containers')
		.select('master_key_id')
		.distinct()
		.execute();
	const file = masterKeyFiles(folder).current;
	if (current === undefined && !existsSync(file) && sealed.length === 0) {
		writeFileSync(file, `${createMasterKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
	}
	const keys = openMasterKeys({ folder, current, previous });
	const missing = sealed.find(({ master_key_id }) => keys.find(master_key_id) === undefined);
	if (missing !== undefined) {
		const name = current === undefined ? file : 'MASTER_KEY';
		const id = missing.master_key_id;
		throw new SettingError(
			`${name} isn't the key of the containers: they need the one with the ID ${id}.`,
		);
	}
	return { keys, database, storage: await openStorage(config.storageUrl, folder) };
}

/** Creates the owner and the first API key, unless they exist. @returns the key where it is new */
export async function ensureOwner({ database }: Vault, { owner, apiKey }: Config) {
	return await database.transaction().execute(async (queries) => {
		// A write at the beginning lets two processes that start together take turns.
		await queries
			.updateTable('meta')
			.set({ name: 'version' })
			.where('name', '=', 'version')
			.execute();
		const user =
			(await findUser(queries, 'address', owner.address)) ??
			(await createUser(queries, { ...owner, role: 'admin' }));
		if (apiKey !== undefined) {
			if (!(await findUserByKey(queries, apiKey))) await addApiKey(queries, user.id, apiKey);
			return { user };
		}
		const keys = queries.selectFrom('api_keys').select('id').where('user_id', '=', user.id);
		if (await keys.executeTakeFirst()) return { user };
		return { user, newKey: (await addApiKey(queries, user.id)).key };
	});
}
