import { createWriteStream, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';

/** A file on disk for the bytes of one part. */
export interface KeptFile {
	write(chunk: Buffer): boolean;
	onceDrained(callback: () => void): void;
	/** @returns the path of the complete file */
	finish(): Promise<string>;
	discard(): Promise<void>;
}

export function keepFile(folder: string, name: string): KeptFile {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const file = path.join(folder, name);
	const stream = createWriteStream(file, { mode: 0o600 });
	return {
		write: (chunk) => stream.write(chunk),
		onceDrained: (callback) => void stream.once('drain', callback),
		async finish() {
			stream.end();
			await finished(stream);
			return file;
		},
		async discard() {
			stream.destroy();
			await rm(file, { force: true });
		},
	};
}
