import { createHash } from 'node:crypto';
import type { Storage } from '../storage/storage.mts';

/** @returns the SHA-256 of an encrypted file. @throws Error where it can't be read as a whole */
export async function hashObject(
	{ storage }: { storage: Storage },
	object: string,
	size: number,
	onRead: (bytes: number) => void = () => undefined,
): Promise<string> {
	const hash = createHash('sha256');
	let bytes = 0;
	for await (const piece of await storage.read(object, { start: 0, end: size })) {
		hash.update(piece);
		bytes += piece.length;
		onRead(piece.length);
	}
	if (bytes !== size) throw new Error(`The file has ${bytes} bytes instead of ${size}`);
	return hash.digest('hex');
}
