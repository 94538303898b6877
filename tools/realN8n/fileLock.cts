import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processIdentity } from './memory.cts';

const TRY_AGAIN_MS = 1000;

/**
 * Runs the work while no other process holds the lock of this path. A lock whose process has ended,
 * in whatever way, counts for nothing.
 * @param waiting told each time that another process still holds it
 */
export async function withFileLock<T>(
	path: string,
	waiting: (holder: number) => void,
	work: () => Promise<T>,
): Promise<T> {
	await mkdir(dirname(path), { recursive: true });
	while (!(await take(path))) {
		const content = await readFile(path, 'utf8').catch(() => undefined);
		if (content === undefined) continue;
		if (isHeld(content)) {
			waiting(Number(content.split(' ')[0]));
			await wait(TRY_AGAIN_MS);
		} else {
			await clear(path, content);
		}
	}
	try {
		return await work();
	} finally {
		await rm(path, { force: true });
	}
}

async function take(path: string): Promise<boolean> {
	const own = `${process.pid} ${processIdentity(process.pid)}`;
	try {
		await writeFile(path, own, { flag: 'wx' });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}

function isHeld(content: string): boolean {
	const [pid, identity] = content.split(' ');
	return processIdentity(Number(pid)) === identity;
}

/** Moves the lock away before it is removed: of two that clear it, one finds the other's new lock and puts it back. */
async function clear(path: string, seen: string): Promise<void> {
	const aside = `${path}.${process.pid}`;
	try {
		await rename(path, aside);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
		throw error;
	}
	if ((await readFile(aside, 'utf8')) === seen) await rm(aside, { force: true });
	else await rename(aside, path);
}
