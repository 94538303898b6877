import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export interface WrittenFile {
	path: string;
	size: number;
	sha256: string;
}

const BLOCK = 1024 * 1024;

/** Writes a file of so many bytes that no compression makes smaller; answers its digest. */
export async function writeRandomFile(path: string, size: number): Promise<WrittenFile> {
	const hash = createHash('sha256');
	const output = createWriteStream(path);
	const block = randomBytes(BLOCK);
	for (let written = 0; written < size; written += BLOCK) {
		block.writeUInt32LE(written / BLOCK);
		const piece = Buffer.from(block.subarray(0, Math.min(BLOCK, size - written)));
		hash.update(piece);
		if (!output.write(piece)) await once(output, 'drain');
	}
	output.end();
	await finished(output);
	return { path, size, sha256: hash.digest('hex') };
}
