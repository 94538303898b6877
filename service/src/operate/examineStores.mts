import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Config } from '../config.mts';
import { DATABASE_FILE, hasDatabase, openDatabase } from '../database/open.mts';
import type { Database } from '../database/schema.mts';
import { SettingError } from '../errors.mts';
import { getMasterKeyFile, openKeys, openStorage } from '../openVault.mts';

const CLOCK_MS = 60_000;
const LITTLE_SPACE = 1_000_000_000;

/** @returns what is wrong with the database, the master key and the clock, with what to do */
export async function examineDatabase(config: Config): Promise<string[]> {
	const { databaseUrl, folder } = config;
	if (!hasDatabase(databaseUrl, folder)) {
		return [`There is no database in ${folder}: start the service once, or correct DATA_DIR.`];
	}
	let database: Database;
	try {
		database = await openDatabase(databaseUrl, folder);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const advice = adviseOnDatabase(config, code);
		// The words of a server can hold its address, but no password.
		return [`The database can't be used (${code ?? message}): ${advice}.`];
	}
	try {
		return [...(await examineKeys(config, database)), ...(await examineClock(database, config))];
	} finally {
		await database.destroy();
	}
}

function adviseOnDatabase({ databaseUrl, folder }: Config, code = ''): string {
	if (databaseUrl) return 'check DATABASE_URL, and that PostgreSQL runs';
	// Only these say that the file itself is spoiled: a backup would take back what happened since.
	if (['SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes(code))
		return `restore ${join(folder, DATABASE_FILE)} from a backup`;
	return `make room on the disk of ${folder}, and let the user of the service write there`;
}

async function examineKeys(config: Config, database: Database): Promise<string[]> {
	const problems: string[] = [];
	try {
		await openKeys(config, database);
	} catch (error) {
		if (!(error instanceof SettingError)) throw error;
		problems.push(`${error.message} Put the right key there: no other opens the containers.`);
	}
	const file = getMasterKeyFile(config);
	const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
	if ((mode & 0o077) !== 0) {
		problems.push(`Other users of this machine can read ${file}: run "chmod 600 ${file}".`);
	}
	return problems;
}

async function examineClock(database: Database, { databaseUrl }: Config): Promise<string[]> {
	const advice = 'let the system set the clock (timedatectl set-ntp true)';
	const newest = database.selectFrom('events').select('created_date').orderBy('seq', 'desc');
	const event = await newest.executeTakeFirst();
	if (event && Date.parse(event.created_date) > Date.now() + CLOCK_MS) {
		return [`The newest event is from the future (${event.created_date}): ${advice}.`];
	}
	if (databaseUrl === undefined) return [];
	const { rows } = await sql<{ now: string }>`select now()::text as now`.execute(database);
	const difference = Math.abs(Date.parse(rows[0].now) - Date.now());
	if (difference < CLOCK_MS) return [];
	const seconds = Math.round(difference / 1000);
	return [`The clock differs from that of PostgreSQL by ${seconds} seconds: ${advice} on both.`];
}

/** @returns what is wrong with the storage, with what to do */
export async function examineStorage(config: Config): Promise<string[]> {
	const { storageUrl, folder } = config;
	const name = `doctor-${randomUUID()}`;
	try {
		const storage = await openStorage(config);
		await storage.check();
		await storage.write(name, toStream(Buffer.from(name)));
		for await (const chunk of await storage.read(name, { start: 0, end: name.length })) void chunk;
		await storage.remove(name);
	} catch (error) {
		const { message } = error as Error;
		return [
			`Files can't be stored (${message.replace(/\.$/, '')}): ${adviseOnStorage(config, error)}.`,
		];
	}
	if (storageUrl) return [];
	const { bavail, bsize } = await statfs(folder);
	if (bavail * bsize > LITTLE_SPACE) return [];
	const free = Math.round((bavail * bsize) / 1e6);
	return [`The disk of ${folder} has only ${free} MB left: make room, or give it another disk.`];
}

function adviseOnStorage({ storageUrl, folder }: Config, error: unknown): string {
	if (storageUrl) {
		return 'check STORAGE_URL, the keys of the bucket, and that they can read, write and delete';
	}
	const { code } = error as NodeJS.ErrnoException;
	if (code === 'ENOSPC') return 'make room, or give it another disk';
	return `let the user of the service write into ${join(folder, 'files')}`;
}

async function* toStream(content: Buffer) {
	yield content;
}
