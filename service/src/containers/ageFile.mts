import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { ByteRange } from '../storage/storage.mts';

// The format is age v1 (https://age-encryption.org/v1). The library writes and reads the header. Only the
// payload is done here with the ciphers of Node.js, which take an eighth of the library's time.

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const NONCE_BYTES = 16;
/** A header with one X25519 recipient, and the nonce behind it. */
const HEAD_BYTES = 184;

/** Reads a part of the encrypted file. */
export type ReadBytes = (range: ByteRange) => Promise<AsyncIterable<Buffer>>;

export interface NewAgeFile {
	/** The secret that opens the file, as `AGE-SECRET-KEY-1…`. */
	identity: string;
	encrypt(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
}

/** Prepares an age file with an identity of its own. */
export async function createAgeFile(): Promise<NewAgeFile> {
	const identity = await generateX25519Identity();
	const encrypter = new Encrypter();
	encrypter.addRecipient(await identityToRecipient(identity));
	// An empty payload is one tag. What comes before it is the header and the nonce of any payload.
	const empty = Buffer.from(await encrypter.encrypt(new Uint8Array(0)));
	const head = empty.subarray(0, -TAG_BYTES);
	if (head.length !== HEAD_BYTES) throw new Error('The header of an age file has another size');
	const key = await getPayloadKey(identity, head);
	return {
		identity,
		async *encrypt(content) {
			yield head;
			let counter = 0;
			for await (const { chunk, isLast } of inChunks(content)) {
				const nonce = getNonce({ counter: counter++, isLast });
				const cipher = createCipheriv('chacha20-poly1305', key, nonce, {
					authTagLength: TAG_BYTES,
				});
				yield cipher.update(chunk);
				cipher.final();
				yield cipher.getAuthTag();
			}
		},
	};
}

const countChunks = (size: number) => Math.max(Math.ceil(size / CHUNK_BYTES), 1);

/** @returns the bytes of the age file of a content of this size */
export function getEncryptedSize(size: number): number {
	return HEAD_BYTES + size + countChunks(size) * TAG_BYTES;
}

interface DecryptOptions {
	read: ReadBytes;
	identity: string;
	/** Bytes of the whole decrypted content. */
	size: number;
	range: ByteRange;
}

/**
 * Decrypts a part of an age file. It reads only the chunks that the part touches.
 *
 * @throws Error where the file is not the one that the identity belongs to, was changed, or is cut off
 */
export async function* decryptAgeFile(options: DecryptOptions): AsyncGenerator<Buffer> {
	const { read, identity, size, range } = options;
	const head = await readAll(await read({ start: 0, end: HEAD_BYTES }));
	const key = await getPayloadKey(identity, head);
	const last = countChunks(size) - 1;
	let counter = Math.floor(range.start / CHUNK_BYTES);
	const end = Math.min(Math.floor(Math.max(range.end - 1, 0) / CHUNK_BYTES), last);
	const sealedBytes = CHUNK_BYTES + TAG_BYTES;
	const encrypted = await read({
		start: HEAD_BYTES + counter * sealedBytes,
		end: end === last ? getEncryptedSize(size) : HEAD_BYTES + (end + 1) * sealedBytes,
	});
	for await (const { chunk } of inChunks(encrypted, sealedBytes)) {
		const nonce = getNonce({ counter, isLast: counter === last });
		const decipher = createDecipheriv('chacha20-poly1305', key, nonce, {
			authTagLength: TAG_BYTES,
		});
		decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
		const plain = decipher.update(chunk.subarray(0, -TAG_BYTES));
		decipher.final();
		const offset = counter * CHUNK_BYTES;
		yield plain.subarray(Math.max(range.start - offset, 0), Math.max(range.end - offset, 0));
		counter += 1;
	}
	if (counter !== end + 1) throw new Error('The encrypted file is cut off');
}

async function getPayloadKey(identity: string, head: Buffer): Promise<Buffer> {
	const decrypter = new Decrypter();
	decrypter.addIdentity(identity);
	const fileKey = await decrypter.decryptHeader(head.subarray(0, -NONCE_BYTES));
	return Buffer.from(hkdfSync('sha256', fileKey, head.subarray(-NONCE_BYTES), 'payload', 32));
}

/** 11 bytes count the chunks; the last byte marks the last chunk, so that nobody can cut a file off. */
function getNonce({ counter, isLast }: { counter: number; isLast: boolean }): Buffer {
	const nonce = Buffer.alloc(12);
	nonce.writeUIntBE(counter, 5, 6);
	nonce[11] = isLast ? 1 : 0;
	return nonce;
}

/** Holds the last chunk back until it is known to be the last. Only an empty content has an empty chunk. */
async function* inChunks(content: AsyncIterable<Buffer>, size = CHUNK_BYTES) {
	let chunk = Buffer.allocUnsafe(size);
	let used = 0;
	for await (const piece of content) {
		for (let offset = 0; offset < piece.length;) {
			if (used === size) {
				yield { chunk, isLast: false };
				chunk = Buffer.allocUnsafe(size);
				used = 0;
			}
			const copied = piece.copy(chunk, used, offset);
			used += copied;
			offset += copied;
		}
	}
	yield { chunk: chunk.subarray(0, used), isLast: true };
}

export async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of content) chunks.push(chunk);
	return Buffer.concat(chunks);
}
