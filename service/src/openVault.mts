import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Config } from './config.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { issueApiKey } from './containers/issueApiKey.mts';
import { updateIndex } from './containers/recipientIndex.mts';
import { deleteEnded } from './containers/retention.mts';
import { createMasterKey, openMasterKeys } from './containers/masterKeys.mts';
import { transact } from './containers/trail.mts';
import { beginTrails, pruneEvents } from './containers/trailUpkeep.mts';
import type { Vault } from './containers/vault.mts';
import { EventWatch } from './database/eventWatch.mts';
import { recordEndedViews } from './containers/views.mts';
import type { DatabaseObserver } from './database/observedDialect.mts';
import type { Database } from './database/schema.mts';
import { forgetDeleted } from './database/forget.mts';
import { CODE_LIFE_MS, DAY_MS, HOUR_MS } from './database/limits.mts';
import { openDatabase } from './database/open.mts';
import { findUserByKey } from './database/apiKeys.mts';
import { createUser, findUser } from './database/queries.mts';
import { SettingError } from './errors.mts';
import { createEventLog } from './eventLog.mts';
import { openLog } from './log.mts';
import { openFolderStorage } from './storage/folderStorage.mts';
import type { Storage } from './storage/storage.mts';
import { deleteEndedRequests } from './requests/requestUpkeep.mts';
import { writeWhole } from './writeWhole.mts';

/** The name of the key that a user is added with. */
export const FIRST_KEY = 'first';
const MINUTE_MS = 60_000;

export const getMasterKeyFile = ({ folder }: Config) => join(folder, 'master.key');

/** Opens the database, the storage and the keys. @throws SettingError where one can't be used */
export async function openVault(config: Config, observer?: DatabaseObserver): Promise<Vault> {
	const { folder, databaseUrl } = config;
	const commits = new EventEmitter();
	const database = await use(databaseUrl ? 'DATABASE_URL' : 'DATA_DIR', async () => {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		return await openDatabase(databaseUrl, folder, { commits, observer });
	});
	const events = new EventWatch(database, commits, databaseUrl);
	const keys = await openKeys(config, database);
	const storage = await openStorage(config);
	await beginTrails(database, keys);
	const logEvent = createEventLog(config.logLevel, await openLog(config.logFormat));
	return { keys, database, events, storage, logEvent };
}

export async function openStorage({ folder, storageUrl }: Config): Promise<Storage> {
	return await use(storageUrl ? 'STORAGE_URL' : 'DATA_DIR', async () => {
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
	await use('DATA_DIR', async () => keys.current());
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

async function use<Opened>(setting: string, open: () => Promise<Opened>): Promise<Opened> {
	return await open().catch(({ name, message, code }: NodeJS.ErrnoException) => {
		throw new SettingError(`${setting} can't be used (${name}: ${message || code}).`);
	});
}

export async function ensureOwner(vault: Vault, { owner: email, apiKey }: Config) {
	const address = normalizeAddress(email)!;
	return await transact(vault, async (queries, record) => {
		// A write at the beginning lets two processes that start together take turns.
		await queries.updateTable('meta').set({ name: 'version' }).execute();
		const found = await findUser(queries, 'address', address);
		const user = found ?? (await createUser(queries, { email, address, role: 'admin' }));
		if (!found) await record({ action: 'user.create', ownerId: user.id, user: '', detail: {} });
		const ofOwner = queries.selectFrom('api_keys').select('id').where('user_id', '=', user.id);
		const known = apiKey ? findUserByKey(queries, apiKey) : ofOwner.executeTakeFirst();
		if (await known) return { user };
		const first = { user_id: user.id, key: apiKey, name: apiKey ? 'API_KEY' : FIRST_KEY };
		const { key } = await use('API_KEY', () => issueApiKey(queries, record, first));
		return { user, newKey: apiKey ? undefined : key };
	});
}

/** Files that no container knows. After a day, no upload that they could belong to is running any more. */
export async function* findLeftovers({ database, storage }: Vault) {
	for await (const file of storage.list()) {
		if (file.modified.getTime() > Date.now() - DAY_MS) continue;
		const rows = database.selectFrom('containers').select('id').where('object', '=', file.name);
		if (!(await rows.executeTakeFirst())) yield file.name;
	}
}

export const openOutbox = async ({ folder }: Config) =>
	await openFolderStorage(join(folder, 'outbox'));

/** Removes now, and again and again, what is kept for a time only, and what broken uploads left. */
export function keepTidy(vault: Vault, config: Config, log: FastifyBaseLogger): void {
	const { database, storage, keys } = vault;
	const onError = (error: Error) => log.error(error, 'Upkeep failed');
	const repeat = (run: () => Promise<void>, interval: number) => {
		run().catch(onError);
		setInterval(() => void run().catch(onError), interval).unref();
	};
	repeat(async () => void (await updateIndex(database)), CODE_LIFE_MS);
	repeat(async () => {
		const now = Date.now();
		const hourAgo = now - HOUR_MS;
		const dayAgo = now - DAY_MS;
		const oldest = new Date(now - config.eventsDays * DAY_MS).toISOString();
		await pruneEvents(database, keys, oldest);
		await database.deleteFrom('codes').where('expires_at', '<', now).execute();
		await database.deleteFrom('attempts').where('made_at', '<', hourAgo).execute();
		await database.deleteFrom('idempotency_keys').where('created_at', '<', dayAgo).execute();
		await forgetDeleted(database);
		const outbox = await openOutbox(config);
		for await (const { name, modified } of outbox.list()) {
			if (modified.getTime() < dayAgo) await outbox.remove(name);
		}
	}, CODE_LIFE_MS);
	repeat(async () => await recordEndedViews(vault), MINUTE_MS);
	repeat(async () => {
		for await (const name of findLeftovers(vault)) await storage.remove(name);
	}, DAY_MS);
	const { deleteAfterDays, calendar } = config;
	if (deleteAfterDays === undefined) return;
	repeat(async () => {
		const retention = { calendar, afterDays: deleteAfterDays };
		const found = await deleteEnded(vault, retention, onError);
		if (found.deleted + found.onHold.length > 0) log.info(found, 'Access ended long ago');
		const requests = await deleteEndedRequests(vault, retention, onError);
		if (requests > 0) log.info({ requests }, 'Requests for files ended long ago');
	}, HOUR_MS);
}
