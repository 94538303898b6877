import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { inflateSync } from 'node:zlib';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import * as vectors from 'cctv-age';
import fc from 'fast-check';
import {
	createAgeFile,
	DamagedFileError,
	decryptAgeFile,
	getEncryptedSize,
} from '../src/containers/ageFile.mts';
import type { ByteRange } from '../src/storage/storage.mts';

const CHUNK = 65_536;
const SEALED_CHUNK = CHUNK + 16;
/** The header with one X25519 recipient, and the nonce. Our reader reads no other. */
const HEAD = getEncryptedSize(0) - 16;
const EDGES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 3 * CHUNK];

/** They end in no place where a chunk does. */
const PIECE = 50_000;

async function* inPieces(content: Buffer) {
	for (let start = 0; start < content.length; start += PIECE) {
		yield content.subarray(start, start + PIECE);
	}
}

interface AgeFile {
	file: Buffer;
	identity: string;
	/** Of the content. */
	size: number;
}

async function encrypt(content: Buffer): Promise<AgeFile> {
	const { identity, encrypt } = await createAgeFile();
	const hash = createHash('sha256');
	const file = await buffer(encrypt(inPieces(content), hash));
	expect(hash.digest('hex')).toBe(createHash('sha256').update(file).digest('hex'));
	return { file, identity, size: content.length };
}

/** @returns nothing where the file is damaged */
async function decrypt({ file, identity, size }: AgeFile, range = { start: 0, end: size }) {
	const read = async ({ start, end }: ByteRange) => inPieces(file.subarray(start, end));
	return await buffer(decryptAgeFile({ read, identity, size, range })).catch((error) => {
		if (error instanceof DamagedFileError) return undefined;
		throw error;
	});
}

describe('the public test vectors of the format', () => {
	const parsed = Object.entries<Uint8Array>(vectors as never).map(([name, bytes]) => {
		const vector = Buffer.from(bytes);
		const end = vector.indexOf('\n\n');
		const lines = vector.toString('utf8', 0, end).split('\n');
		const about = Object.fromEntries(lines.map((line) => line.split(': ', 2)));
		const stored = vector.subarray(end + 2);
		const file = about.compressed ? inflateSync(stored) : stored;
		// The size that the row of a container would have for a file of this length.
		const payload = Math.max(file.length - HEAD, 16);
		const size = payload - 16 * Math.ceil(payload / SEALED_CHUNK);
		return { ...(about as Record<'expect' | 'identity' | 'payload', string>), name, file, size };
	});
	// Others need a passphrase, a hybrid identity, or armor, which the service never writes.
	const withX25519 = parsed.filter(
		({ identity, ...about }) =>
			identity?.startsWith('AGE-SECRET-KEY-1') && !('armored' in about) && !('passphrase' in about),
	);
	const hasOurHeader = ({ file }: AgeFile) =>
		/^\n--- \S{43}\n$/.test(file.toString('latin1', HEAD - 16 - 49, HEAD - 16));
	const valid = withX25519.filter((vector) => vector.expect === 'success' && hasOurHeader(vector));
	const invalid = withX25519.filter((vector) => vector.expect !== 'success');

	it.each(valid)('$name: the content is right', async ({ payload, ...vector }) => {
		const content = (await decrypt(vector))!;
		expect(createHash('sha256').update(content).digest('hex')).toBe(payload);
	});

	it.each(invalid)('$name: $expect', async (vector) => {
		expect(await decrypt(vector)).toBeUndefined();
	});
});

describe('an age file', () => {
	it.each(EDGES)('of %d bytes is read again, also that of the library', async (size) => {
		const content = randomBytes(size);
		const encrypted = await encrypt(content);
		expect(content.equals((await decrypt(encrypted))!)).toBe(true);
		expect(encrypted.file).toHaveLength(getEncryptedSize(size));
		const identity = await generateX25519Identity();
		const encrypter = new Encrypter();
		encrypter.addRecipient(await identityToRecipient(identity));
		const file = Buffer.from(await encrypter.encrypt(content));
		expect(content.equals((await decrypt({ file, identity, size }))!)).toBe(true);
		expect(await decrypt({ ...encrypted, identity })).toBeUndefined();
	});

	it('is read in any range', async () => {
		const content = randomBytes(2 * CHUNK + 100);
		const encrypted = await encrypt(content);
		const check = async (one: number, other: number) => {
			const [start, end] = [Math.min(one, other), Math.max(one, other)];
			if (start === end) return;
			const part = await decrypt(encrypted, { start, end });
			expect([start, end, part?.equals(content.subarray(start, end))]).toEqual([start, end, true]);
		};
		const position = fc.oneof(fc.nat(content.length), fc.constantFrom(...EDGES.slice(0, -1)));
		await fc.assert(fc.asyncProperty(position, position, check));
	});
});
