import { createHash, randomBytes } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import * as vectors from 'cctv-age';
import fc from 'fast-check';
import { createAgeFile, decryptAgeFile, getEncryptedSize } from '../src/containers/ageFile.mts';
import type { ByteRange } from '../src/storage/storage.mts';

const CHUNK = 65_536;
const SEALED_CHUNK = CHUNK + 16;
/** The header with one X25519 recipient, and the nonce. Our reader reads no other. */
const HEAD = getEncryptedSize(0) - 16;
const EDGES = [
	0,
	1,
	CHUNK - 1,
	CHUNK,
	CHUNK + 1,
	2 * CHUNK - 1,
	2 * CHUNK,
	2 * CHUNK + 1,
	3 * CHUNK,
];

async function* inPieces(content: Buffer, bytes = 50_000) {
	for (let start = 0; start < content.length; start += bytes) {
		yield content.subarray(start, start + bytes);
	}
}

async function encrypt(content: Buffer, piece?: number) {
	const { identity, encrypt } = await createAgeFile();
	const chunks: Buffer[] = [];
	for await (const chunk of encrypt(inPieces(content, piece))) chunks.push(chunk);
	return { file: Buffer.concat(chunks), identity, size: content.length };
}

interface AgeFile {
	file: Buffer;
	identity: string;
	size: number;
}

/** Reads from a file that may be shorter than expected. @returns what came, and whether all went well */
async function decrypt(
	{ file, identity, size }: AgeFile,
	range: ByteRange = { start: 0, end: size },
) {
	const read = async ({ start, end }: ByteRange) => inPieces(file.subarray(start, end));
	const chunks: Buffer[] = [];
	try {
		for await (const chunk of decryptAgeFile({ read, identity, size, range })) chunks.push(chunk);
		return { isWhole: true, content: Buffer.concat(chunks) };
	} catch {
		return { isWhole: false, content: Buffer.concat(chunks) };
	}
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('the public test vectors of the format', () => {
	const parsed = Object.entries<Uint8Array>(vectors as never).map(([name, bytes]) => {
		const vector = Buffer.from(bytes);
		const end = vector.indexOf('\n\n');
		const lines = vector.toString('utf8', 0, end).split('\n');
		const about = Object.fromEntries(lines.map((line) => line.split(': ', 2)));
		const stored = vector.subarray(end + 2);
		const file = about.compressed ? inflateSync(stored) : stored;
		return { ...about, name, file } as Record<string, string> & { name: string; file: Buffer };
	});
	// Others need a passphrase, a hybrid identity, or armor, which the service never writes.
	const withX25519 = parsed.filter(
		({ identity, armored, passphrase }) =>
			identity?.startsWith('AGE-SECRET-KEY-1') && !armored && !passphrase,
	);
	const hasOurHeader = ({ file }: { file: Buffer }) =>
		/^\n--- \S{43}\n$/.test(file.toString('latin1', HEAD - 16 - 49, HEAD - 16));
	const valid = withX25519.filter(({ expect }) => expect === 'success').filter(hasOurHeader);
	const invalid = withX25519.filter(({ expect }) => expect !== 'success');

	/** The size that the row of a container would have for a file of this length. */
	const guessSize = (file: Buffer) => {
		const payload = Math.max(file.length - HEAD, 16);
		return payload - 16 * Math.ceil(payload / SEALED_CHUNK);
	};

	it('apply: 9 valid ones, and 52 that are not, 29 of them with a header of our size', () => {
		const counts = [valid, invalid, invalid.filter(hasOurHeader)].map(({ length }) => length);
		expect(counts).toEqual([9, 52, 29]);
	});

	it.each(valid)('$name: the content is right', async ({ file, identity, payload }) => {
		const { isWhole, content } = await decrypt({ file, identity, size: guessSize(file) });
		expect([isWhole, sha256(content)]).toEqual([true, payload]);
	});

	it.each(invalid)('$name: $expect', async ({ file, identity }) => {
		expect((await decrypt({ file, identity, size: guessSize(file) })).isWhole).toBe(false);
	});
});

describe('an age file', () => {
	it.each(EDGES)('of %d bytes is read again', async (size) => {
		const content = randomBytes(size);
		const encrypted = await encrypt(content);
		expect(encrypted.file).toHaveLength(getEncryptedSize(size));
		expect((await decrypt(encrypted)).content.equals(content)).toBe(true);
	});

	it('can come in pieces of any size', async () => {
		const content = randomBytes(CHUNK + 10);
		for (const piece of [1, 7, CHUNK - 1, CHUNK, CHUNK + 1]) {
			expect((await decrypt(await encrypt(content, piece))).content.equals(content)).toBe(true);
		}
	});

	it('of the library is read', async () => {
		for (const size of EDGES) {
			const identity = await generateX25519Identity();
			const encrypter = new Encrypter();
			encrypter.addRecipient(await identityToRecipient(identity));
			const content = randomBytes(size);
			const file = Buffer.from(await encrypter.encrypt(content));
			expect((await decrypt({ file, identity, size })).content.equals(content)).toBe(true);
		}
	});

	it('has another key each time', async () => {
		const [one, other] = [await encrypt(Buffer.from('same')), await encrypt(Buffer.from('same'))];
		expect(one.file.subarray(HEAD).equals(other.file.subarray(HEAD))).toBe(false);
		expect(await decrypt({ ...one, identity: other.identity })).toMatchObject({ isWhole: false });
	});

	it('is read in any range', async () => {
		const content = randomBytes(2 * CHUNK + 100);
		const encrypted = await encrypt(content);
		const positions = [...EDGES.slice(0, -1), content.length - 1, content.length];
		const position = fc.oneof(
			fc.constantFrom(...positions),
			fc.integer({ min: 0, max: content.length }),
		);
		const check = async (one: number, other: number) => {
			if (one === other) return;
			const [start, end] = [Math.min(one, other), Math.max(one, other)];
			const { isWhole, content: part } = await decrypt(encrypted, { start, end });
			expect([start, end, isWhole, part.equals(content.subarray(start, end))]).toEqual([
				...[start, end],
				...[true, true],
			]);
		};
		for (const start of positions) for (const end of positions) await check(start, end);
		await fc.assert(fc.asyncProperty(position, position, check));
	});

	it('is an error where any byte was changed', async () => {
		const encrypted = await encrypt(randomBytes(CHUNK + 100));
		const { length } = encrypted.file;
		const edges = [0, HEAD - 16, HEAD - 1, HEAD, HEAD + SEALED_CHUNK - 1, HEAD + SEALED_CHUNK];
		const change = async (index: number, mask: number) => {
			const file = Buffer.from(encrypted.file);
			file[index] ^= mask;
			const { isWhole } = await decrypt({ ...encrypted, file });
			expect([index, isWhole]).toEqual([index, false]);
		};
		for (const index of [...edges, length - 1]) await change(index, 1);
		const anywhere = fc.oneof(
			fc.integer({ min: 0, max: HEAD }),
			fc.integer({ min: 0, max: length - 1 }),
		);
		await fc.assert(fc.asyncProperty(anywhere, fc.integer({ min: 1, max: 255 }), change));
	});

	it('is an error where it is cut off, or its chunks are in another order', async () => {
		const encrypted = await encrypt(randomBytes(3 * CHUNK));
		const at = (n: number) => HEAD + n * SEALED_CHUNK;
		const expectError = async (file: Buffer, size = encrypted.size) => {
			const { isWhole } = await decrypt({ ...encrypted, file, size });
			expect([file.length, size, isWhole]).toEqual([file.length, size, false]);
		};
		for (const n of [0, 1, 2]) {
			for (const length of [at(n) - 1, at(n), at(n) + 1, at(n) + 16]) {
				const cut = encrypted.file.subarray(0, length);
				await expectError(cut);
				// Also where the size was cut with it.
				await expectError(cut, Math.max(length - HEAD - 16 * (n + 1), n * CHUNK));
			}
			await expectError(encrypted.file, n * CHUNK);
		}
		const chunks = [0, 1, 2].map((n) => encrypted.file.subarray(at(n), at(n + 1)));
		for (const order of ['102', '021', '210', '002', '0122', '0012']) {
			const changed = [...order].map((n) => chunks[Number(n)]);
			const file = Buffer.concat([encrypted.file.subarray(0, HEAD), ...changed]);
			await expectError(file, order.length * CHUNK);
		}
	});
});
