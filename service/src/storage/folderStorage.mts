import { createWriteStream } from 'node:fs';
import { access, constants, mkdir, open, opendir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { MissingFileError, type Storage } from './storage.mts';

/** What waits is written in one call of the file system. */
const WRITING = { flags: 'wx', mode: 0o600, flush: true, highWaterMark: 1024 * 1024 };
/** With less, the disk is full: not even the record of an opening is sure to fit. */
const LEAST_BYTES = 1_000_000;

export async function openFolderStorage(folder: string): Promise<Storage> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	return {
		async write(name, content) {
			const file = createWriteStream(join(folder, name), WRITING);
			try {
				await pipeline(content, file);
			} catch (error) {
				// It can still be opened: whoever removes the file now would come too early.
				await finished(file).catch(() => undefined);
				throw error;
			}
			await flushFolder(folder);
		},
		async read(name, { start, end }) {
			const file = await openToRead(folder, name);
			return file.createReadStream({ start, end: end - 1, highWaterMark: 256 * 1024 });
		},
		async remove(name) {
			await rm(join(folder, name), { force: true });
		},
		async check() {
			await access(folder, constants.R_OK | constants.W_OK);
			if ((await readFreeBytes(folder)) >= LEAST_BYTES) return;
			throw Object.assign(new Error(`The disk of ${folder} is full`), { code: 'ENOSPC' });
		},
		getFreeBytes: async () => await readFreeBytes(folder),
		async *list() {
			for await (const { name } of await opendir(folder)) {
				const found = await stat(join(folder, name)).catch(() => undefined);
				if (found?.isFile()) yield { name, size: found.size, modified: found.mtime };
			}
		},
	};
}

/** @throws MissingFileError; the error of the folder where it is gone as a whole */
async function openToRead(folder: string, name: string) {
	try {
		return await open(join(folder, name), 'r');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		await access(folder);
		throw new MissingFileError(name, error);
	}
}

/** A new file is only safe when its folder is flushed, too. */
async function flushFolder(folder: string): Promise<void> {
	const handle = await open(folder, 'r');
	await handle.sync().finally(() => handle.close());
}

async function readFreeBytes(folder: string): Promise<number> {
	const { bavail, blocks, bsize } = await statfs(folder);
	// Some file systems don't know their size.
	return blocks === 0 ? Infinity : bavail * bsize;
}
