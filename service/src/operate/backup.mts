import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.mts';
import { getEncryptedSize } from '../containers/ageFile.mts';
import * as backup from '../database/databaseCopy.mts';
import { readNewestId } from '../database/events.mts';
import { DATABASE_FILE, openDatabase } from '../database/open.mts';
import * as rows from '../database/queries.mts';
import type { Database } from '../database/schema.mts';
import { SettingError } from '../errors.mts';
import { openKeys, openStorage } from '../openVault.mts';
import { openFolderStorage } from '../storage/folderStorage.mts';
import type { Storage } from '../storage/storage.mts';
import { describeCount, withVault, type Command, type VaultInvocation } from './command.mts';
import { createProgress } from './progress.mts';

export const backupCommands: Command[] = [
	{
		usage: 'backup <folder>',
		help: 'Copy the database and the files, without keys and mails',
		run: withVault(backUp),
	},
	{
		usage: 'restore <folder>',
		help: 'Put a backup into a data folder that has only the master key',
		run: restore,
	},
	{
		usage: 'restore',
		help: 'With PostgreSQL, after pg_restore: go on with event IDs that nobody has seen',
		run: withVault(finishRestore),
	},
];

const FILES = 'files';

async function backUp({ vault, config, args: [path] }: VaultInvocation) {
	const folder = resolve(path);
	if (config.databaseUrl) {
		throw new SettingError(
			'The database is in PostgreSQL: back it up with pg_dump, and then the bucket or the folder of the files.',
		);
	}
	if (existsSync(folder) && readdirSync(folder).length > 0) {
		throw new SettingError(`The folder ${folder} isn't empty. Name a new one.`);
	}
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const incomplete = backup.createIncomplete(folder);
	await backup.copyDatabase(vault.database, join(incomplete, DATABASE_FILE));
	const copy = await openDatabase(undefined, incomplete);
	const target = await openFolderStorage(join(folder, FILES));
	const { count, missing } = await copyFiles(copy, vault.storage, target);
	const problems: string[] = [];
	for (const { id, object } of missing) {
		if (await rows.findContainer(vault.database, id)) {
			problems.push(`Container ${id} can't be opened: its file ${object} is missing.`);
		} else await rows.deleteContainer(copy, id);
	}
	await backup.finishIncomplete(copy, folder);
	const lines = [
		`${describeCount(count)} copied to ${folder}.`,
		'The master key is not in it: keep a copy of it at another place. Without it, no container ever opens again.',
	];
	return { problems, lines };
}

async function restore({ config, args: [path] }: { config: Config; args: string[] }) {
	const source = resolve(path);
	const { folder } = config;
	if (config.databaseUrl) {
		throw new SettingError(
			'The database is in PostgreSQL: restore it with pg_restore or psql, and then run "restore" without a folder.',
		);
	}
	if (!existsSync(join(source, DATABASE_FILE))) {
		throw new SettingError(`The folder ${source} has no complete backup.`);
	}
	if (existsSync(join(folder, DATABASE_FILE))) {
		throw new SettingError(`DATA_DIR is ${folder}, which has data already. Name an empty folder.`);
	}
	const incomplete = backup.createIncomplete(folder);
	copyFileSync(join(source, DATABASE_FILE), join(incomplete, DATABASE_FILE));
	const copy = await openDatabase(undefined, incomplete);
	// Says which key is missing, before anything is there.
	await openKeys(config, copy);
	const files = await openFolderStorage(join(source, FILES));
	const { count, missing } = await copyFiles(copy, files, await openStorage(config));
	await backup.skipEventIds(copy);
	await backup.finishIncomplete(copy, folder);
	const problems = missing.map(
		({ id, object }) => `Container ${id} can't be opened: its file ${object} isn't in the backup.`,
	);
	const lines = [
		`${describeCount(count)} restored to ${folder}.`,
		'What changed after the backup is as it was before: recipients and API keys that were removed, counts of openings, containers that were deleted.',
		'Run "check --read" before you start the service.',
	];
	return { problems, lines };
}

/** A database that was put back would give IDs of events again that clients have seen. */
async function finishRestore({ vault, config }: VaultInvocation) {
	if (!config.databaseUrl) {
		throw new SettingError('Name the folder of the backup: restore <folder>.');
	}
	await backup.skipEventIds(vault.database);
	const newest = await readNewestId(vault.database);
	return { lines: [`The next event has an ID above ${newest}.`] };
}

interface CopiedObject {
	id: string;
	object: string;
	size: number;
}

/** @returns how many were copied, and those that aren't in the source */
async function copyFiles(database: Database, source: Storage, target: Storage) {
	const objects: CopiedObject[] = [];
	for await (const { id, object, size } of rows.readAllContainers(database)) {
		objects.push({ id, object, size: getEncryptedSize(size) });
	}
	const progress = createProgress('Copying');
	progress.start(objects.reduce((total, { size }) => total + size, 0));
	const missing: CopiedObject[] = [];
	for (const file of objects) {
		const { object, size } = file;
		const content = await source.read(object, { start: 0, end: size }).catch(() => undefined);
		if (content === undefined) {
			// What the target has stays: a bucket can hold it, where the backup doesn't.
			missing.push(file);
			continue;
		}
		// A try that broke off can have left it.
		await target.remove(object);
		await target.write(object, watch(content, progress.advance));
	}
	progress.stop();
	return { count: objects.length - missing.length, missing };
}

async function* watch(content: AsyncIterable<Buffer>, onRead: (bytes: number) => void) {
	for await (const piece of content) {
		onRead(piece.length);
		yield piece;
	}
}
