import { createHash, randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';

const BLOCK = 1024 * 1024;

/** Writes a file of this size that can't be compressed. */
export async function writeRandomFile(path: string, size: number) {
	const hash = createHash('sha256');
	const file = await open(path, 'w');
	for (let written = 0; written < size; written += BLOCK) {
		const block = randomBytes(Math.min(BLOCK, size - written));
		hash.update(block);
		await file.appendFile(block);
	}
	await file.close();
	return { path, size, sha256: hash.digest('hex') };
}
