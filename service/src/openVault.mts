import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Config } from './config.mts';
import { createMasterKey, openMasterKeys } from './containers/masterKeys.mts';
import { beginLegacyTrails } from './containers/trailUpkeep.mts';
import type { Vault } from './containers/vault.mts';
import { EventWatch } from './database/eventWatch.mts';
import type { DatabaseObserver } from './database/observedDialect.mts';
import type { Database } from './database/schema.mts';
import { openDatabase } from './database/open.mts';
import { SettingError, withSetting } from './errors.mts';
import { createEventLog } from './eventLog.mts';
import { openLog } from './log.mts';
import { openFolderStorage } from './storage/folderStorage.mts';
import type { Storage } from './storage/storage.mts';
import { writeWhole } from './writeWhole.mts';

export const getMasterKeyFile = ({ folder }: Config) => join(folder, 'master.key');

/** Opens the database, the storage and the keys. @throws SettingError where one can't be used */
export async function openVault(config: Config, observer?: DatabaseObserver): Promise<Vault> {
	const { folder, databaseUrl } = config;
	const commits = new EventEmitter();
	const database = await withSetting(databaseUrl ? 'DATABASE_URL' : 'DATA_DIR', async () => {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		return await openDatabase(databaseUrl, folder, { commits, observer });
	});
	const events = new EventWatch(database, commits, databaseUrl);
	const keys = await openKeys(config, database);
	const storage = await openStorage(config);
	await beginLegacyTrails(database, keys);
	const logEvent = createEventLog(config.logLevel, await openLog(config.logFormat));
	return { keys, database, events, storage, logEvent };
}

export async function openStorage({ folder, storageUrl }: Config): Promise<Storage> {
	return await withSetting(storageUrl ? 'STORAGE_URL' : 'DATA_DIR', async () => {
		if (!storageUrl) return await openFolderStorage(join(folder, 'files'));
		return await (await import('./storage/s3Storage.mts')).openS3Storage(storageUrl);
	});
}

/** @throws SettingError where a container was sealed, or a trail signed, with a key that isn't there */
export async function openKeys(config: Config, database: Database) {
	const { outsideKeys, previousMasterKey } = config;
	const needed = await listNeededKeys(database);
	const file = getMasterKeyFile(config);
	if (!outsideKeys && !existsSync(file) && needed.length === 0) {
		writeWhole(file, `${createMasterKey()}\n`, { mode: 0o600, isNew: true });
	}
	const keys = openMasterKeys(file, { first: outsideKeys?.keys, last: previousMasterKey });
	const missing = needed.find((id) => !keys.find(id));
	if (missing !== undefined) {
		if (!outsideKeys && !existsSync(file)) {
			throw new SettingError(
				`${file} is missing. Put back the master key of the containers: its ID must be ${missing}.`,
			);
		}
		const name = outsideKeys?.setting ?? file;
		throw new SettingError(`${name} isn't the key of the containers: its ID must be ${missing}.`);
	}
	await withSetting('DATA_DIR', async () => keys.current());
	return keys;
}

/** The IDs of the master keys that seal containers, and sign trails and requests for files. */
async function listNeededKeys(database: Database): Promise<string[]> {
	const containers = database.selectFrom('containers').select('master_key_id').distinct();
	const sealed = await containers.execute();
	const signed = await sql<{ id: string }>`select substr(mac, 1, 16) as id from trails
		where mac <> '' union select substr(mac, 1, 16) from requests`.execute(database);
	const ids = sealed.map(({ master_key_id: id }) => id);
	return [...new Set(ids.concat(signed.rows.map(({ id }) => id)))];
}
