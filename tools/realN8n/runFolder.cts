import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../paths.cts';
import { processIdentity } from './memory.cts';

const runs = join(cacheFolder, 'runs');
const OWNER = 'owner';

/**
 * Makes an empty folder for one run, and removes those of runs that have ended without removing
 * theirs. It goes when this process ends; after a kill -9, with the next run.
 */
export async function createRunFolder(name: string): Promise<string> {
	await mkdir(runs, { recursive: true });
	await removeAbandoned();
	const folder = await mkdtemp(join(runs, `${name}-`));
	await writeFile(join(folder, OWNER), `${process.pid} ${processIdentity(process.pid)}`);
	process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
	return folder;
}

async function removeAbandoned(): Promise<void> {
	for (const name of await readdir(runs)) {
		const folder = join(runs, name);
		if (!existsSync(join(folder, OWNER))) continue;
		const [pid, identity] = (await readFile(join(folder, OWNER), 'utf8')).split(' ');
		if (processIdentity(Number(pid)) !== identity)
			await rm(folder, { recursive: true, force: true });
	}
}
