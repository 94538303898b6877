import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface RandomFile {
	path: string;
	size: number;
	sha256: string;
}

const BLOCK = 1024 * 1024;

/** Writes a file of this size that can't be compressed. */
export async function writeRandomFile(path: string, size: number): Promise<RandomFile> {
	const hash = createHash('sha256');
	function* createBlocks() {
		for (let written = 0; written < size; written += BLOCK) {
			const block = randomBytes(Math.min(BLOCK, size - written));
			hash.update(block);
			yield block;
		}
	}
	await pipeline(Readable.from(createBlocks()), createWriteStream(path));
	return { path, size, sha256: hash.digest('hex') };
}
