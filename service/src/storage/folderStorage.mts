import { constants } from 'node:fs';
import { mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storage } from './storage.mts';

/** Bytes that one call of the file system writes. */
const BATCH_BYTES = 1024 * 1024;

export async function openFolderStorage(folder: string): Promise<Storage> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	return {
		async write(name, content) {
			const file = await open(join(folder, name), 'wx', 0o600);
			try {
				for await (const batch of inBatches(content)) await file.writev(batch);
				await file.sync();
			} finally {
				await file.close();
			}
			await flushFolder(folder);
		},
		async read(name, { start, end }) {
			const file = await open(join(folder, name), constants.O_RDONLY);
			return file.createReadStream({ start, end: end - 1, highWaterMark: 256 * 1024 });
		},
		async remove(name) {
			await rm(join(folder, name), { force: true });
		},
		async *list() {
			for await (const entry of await opendir(folder)) {
				const found = await stat(join(folder, entry.name)).catch(() => undefined);
				if (found?.isFile()) yield { name: entry.name, size: found.size, modified: found.mtime };
			}
		},
	};
}

async function* inBatches(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
	let batch: Buffer[] = [];
	let size = 0;
	for await (const chunk of content) {
		batch.push(chunk);
		size += chunk.length;
		if (size < BATCH_BYTES) continue;
		yield batch;
		batch = [];
		size = 0;
	}
	if (size > 0) yield batch;
}

/** A new file is only safe when its folder is flushed, too. Windows flushes no folder. */
async function flushFolder(folder: string): Promise<void> {
	if (process.platform === 'win32') return;
	const handle = await open(folder, constants.O_RDONLY);
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
