import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { check, lock, type LockOptions } from 'proper-lockfile';
import { cacheFolder } from './paths.cts';

const runs = join(cacheFolder, 'runs');
/** Long enough for a process that a busy machine keeps from refreshing its lock. */
const LOCK: LockOptions = { stale: 300_000, realpath: false };

/**
 * Creates an empty folder for one run. It is removed when this process ends or, if this process is
 * killed, by a later run.
 *
 * Not tempy: it leaves the folder of a killed process behind.
 */
export async function createRunFolder(name: string): Promise<string> {
	await mkdir(runs, { recursive: true });
	await removeAbandoned();
	const folder = join(runs, `${name}-${randomUUID().slice(0, 8)}`);
	await lock(folder, LOCK);
	await mkdir(folder);
	process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
	return folder;
}

async function removeAbandoned(): Promise<void> {
	const names = new Set((await readdir(runs)).map((name) => name.replace(/\.lock$/, '')));
	for (const folder of [...names].map((name) => join(runs, name))) {
		if (await check(folder, LOCK)) continue;
		await rm(folder, { recursive: true, force: true });
		await rm(`${folder}.lock`, { recursive: true, force: true });
	}
}
