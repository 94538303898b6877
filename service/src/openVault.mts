import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingError, type Config } from './config.mts';
import { createMasterKey, masterKeyFiles, openMasterKeys } from './containers/seal.mts';
import type { Vault } from './containers/vault.mts';
import { openDatabase } from './database/open.mts';
import { addApiKey, createUser, findUser, findUserByKey } from './database/users.mts';
import { openFolderStorage } from './storage/folderStorage.mts';
import type { Storage } from './storage/storage.mts';

/** Opens the database, the storage and the keys. @throws SettingError where the master key is another one */
export async function openVault(config: Config): Promise<Vault> {
	const { folder, masterKey: current, previousMasterKey: previous } = config;
	const database = await use(config.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR', async () => {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		return await openDatabase(config.databaseUrl, folder);
	});
	const sealed = await database
		.selectFrom('containers')
		.select('master_key_id')
		.distinct()
		.execute();
	const file = masterKeyFiles(folder).current;
	if (!current && !existsSync(file) && sealed.length === 0) {
		writeFileSync(file, `${createMasterKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
	}
	const keys = openMasterKeys({ folder, current, previous });
	for (const { master_key_id } of sealed.filter((row) => !keys.find(row.master_key_id))) {
		const name = current ? 'MASTER_KEY' : file;
		throw new SettingError(
			`${name} isn't the key of the containers: its ID must be ${master_key_id}.`,
		);
	}
	const storage = await use(config.storageUrl ? 'STORAGE_URL' : 'DATA_DIR', () =>
		openStorage(config.storageUrl, folder),
	);
	return { keys, database, storage };
}

/** @param url `s3://bucket?endpoint=…&region=…` */
async function openStorage(url: string | undefined, folder: string): Promise<Storage> {
	if (url === undefined) return await openFolderStorage(join(folder, 'files'));
	return await (await import('./storage/s3Storage.mts')).openS3Storage(url);
}

/** @throws SettingError where what a setting names can't be opened */
async function use<Opened>(setting: string, open: () => Promise<Opened>): Promise<Opened> {
	try {
		return await open();
	} catch (error) {
		const { name, message } = error as Error;
		throw new SettingError(`${setting} can't be used (${name}: ${message}).`);
	}
}

/** Creates the owner and the first API key, unless they exist. @returns the key where it is new */
export async function ensureOwner({ database }: Vault, { owner, apiKey }: Config) {
	return await database.transaction().execute(async (queries) => {
		// A write at the beginning lets two processes that start together take turns.
		await queries.updateTable('meta').set({ name: 'version' }).execute();
		const found = await findUser(queries, 'address', owner.address);
		const user = found ?? (await createUser(queries, { ...owner, role: 'admin' }));
		const ofOwner = queries.selectFrom('api_keys').select('id').where('user_id', '=', user.id);
		const isKnown = apiKey
			? await findUserByKey(queries, apiKey)
			: await ofOwner.executeTakeFirst();
		const added = isKnown ? undefined : await addApiKey(queries, user.id, apiKey);
		return { user, newKey: apiKey ? undefined : added?.key };
	});
}
