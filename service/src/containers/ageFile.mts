import { createCipheriv, createDecipheriv, hkdfSync, type Hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { ByteRange } from '../storage/storage.mts';

// The format is age v1 (https://age-encryption.org/v1). The library writes and reads the header. Only the
// payload is done here with the ciphers of Node.js, which take an eighth of the library's time.

const CIPHER = 'chacha20-poly1305';
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;
const NONCE_BYTES = 16;
/** A header with one X25519 recipient, and the nonce behind it. */
const HEAD_BYTES = 184;

/** Prepares an age file with an identity of its own, the secret that opens it: `AGE-SECRET-KEY-1…` */
export async function createAgeFile() {
	const identity = await generateX25519Identity();
	const encrypter = new Encrypter();
	encrypter.addRecipient(await identityToRecipient(identity));
	// An empty payload is one tag. What comes before it is the header and the nonce of any payload.
	const head = Buffer.from(await encrypter.encrypt(new Uint8Array())).subarray(0, HEAD_BYTES);
	const key = await getPayloadKey(identity, head);
	/** @param hash gets all that is yielded: one more generator around it would take time for each chunk */
	async function* encrypt(content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Buffer> {
		hash.update(head);
		yield head;
		let counter = 0;
		for await (const { chunk, isLast } of inChunks(content, CHUNK_BYTES)) {
			const cipher = createCipheriv(CIPHER, key, toNonce({ counter: counter++, isLast }));
			const sealed = cipher.update(chunk);
			cipher.final();
			const tag = cipher.getAuthTag();
			hash.update(sealed).update(tag);
			yield sealed;
			yield tag;
		}
	}
	return { identity, encrypt };
}

const countChunks = (size: number) => Math.max(Math.ceil(size / CHUNK_BYTES), 1);

export const getEncryptedSize = (size: number) => HEAD_BYTES + size + countChunks(size) * TAG_BYTES;

/** The bytes that were read are not the file that was written: it was changed, or cut off. */
export class DamagedFileError extends Error {
	constructor(cause?: unknown) {
		super('The encrypted file is damaged', { cause });
	}
}

interface DecryptOptions {
	read: (encrypted: ByteRange) => Promise<AsyncIterable<Uint8Array>>;
	identity: string;
	size: number;
	range: ByteRange;
}

/** Reads only the chunks of the range. @throws DamagedFileError, also for the file of another identity; what `read` throws */
export async function* decryptAgeFile({ read, identity, size, range }: DecryptOptions) {
	const head = await buffer(await read({ start: 0, end: HEAD_BYTES }));
	const key = await getPayloadKey(identity, head);
	let counter = Math.floor(range.start / CHUNK_BYTES);
	const end = Math.max(Math.ceil(range.end / CHUNK_BYTES), 1);
	const encrypted = await read({
		start: HEAD_BYTES + counter * SEALED_BYTES,
		end: Math.min(HEAD_BYTES + end * SEALED_BYTES, getEncryptedSize(size)),
	});
	for await (const { chunk } of inChunks(encrypted, SEALED_BYTES)) {
		const isLast = counter + 1 === countChunks(size);
		const plain = decryptChunk(chunk, key, toNonce({ counter, isLast }));
		const offset = counter * CHUNK_BYTES;
		yield plain.subarray(Math.max(range.start - offset, 0), Math.max(range.end - offset, 0));
		counter += 1;
	}
	if (counter !== end) throw new DamagedFileError();
}

function decryptChunk(chunk: Uint8Array, key: Buffer, nonce: Buffer): Buffer {
	try {
		const decipher = createDecipheriv(CIPHER, key, nonce);
		decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
		const plain = decipher.update(chunk.subarray(0, -TAG_BYTES));
		decipher.final();
		return plain;
	} catch (error) {
		throw new DamagedFileError(error);
	}
}

async function getPayloadKey(identity: string, head: Buffer): Promise<Buffer> {
	const decrypter = new Decrypter();
	decrypter.addIdentity(identity);
	const fileKey = await decrypter.decryptHeader(head.subarray(0, -NONCE_BYTES)).catch((error) => {
		throw new DamagedFileError(error);
	});
	return Buffer.from(hkdfSync('sha256', fileKey, head.subarray(-NONCE_BYTES), 'payload', 32));
}

/** 11 bytes count the chunks; the last byte marks the last chunk, so that nobody can cut a file off. */
const toNonce = ({ counter, isLast }: { counter: number; isLast: boolean }) =>
	Buffer.from(`${counter.toString(16).padStart(22, '0')}${isLast ? '01' : '00'}`, 'hex');

/** Holds the last chunk back until it is known to be the last. Only an empty content has an empty chunk. */
async function* inChunks(content: AsyncIterable<Uint8Array>, size: number) {
	let pieces: Uint8Array[] = [];
	let missing = size;
	for await (const piece of content) {
		let rest = piece;
		for (; rest.length > missing; missing = size) {
			pieces.push(rest.subarray(0, missing));
			yield { chunk: join(pieces), isLast: false };
			rest = rest.subarray(missing);
			pieces = [];
		}
		pieces.push(rest);
		missing -= rest.length;
	}
	yield { chunk: join(pieces), isLast: true };
}

function join(pieces: Uint8Array[]): Uint8Array {
	const [first = new Uint8Array(), ...others] = pieces.filter(({ length }) => length > 0);
	return others.length === 0 ? first : Buffer.concat([first, ...others]);
}
