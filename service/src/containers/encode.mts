import { createHash, randomUUID, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { insertContainer } from '../database/queries.mts';
import type { Queries } from '../database/schema.mts';
import { createAgeFile } from './ageFile.mts';
import { findEarlierResponse, holdKey, keepResponse, toKeyedRequest } from './idempotency.mts';
import type { KeyedRequest } from './idempotency.mts';
import { readForm, type FormOptions } from './incomingForm.mts';
import type { IncomingFile, IncomingForm } from './incomingForm.mts';
import { createSecret, seal, type StoredFile } from './seal.mts';
import { transact } from './trail.mts';
import { toEnvelope, type Vault } from './vault.mts';

interface Sender {
	ownerId: string;
	user: { id: string; address: string };
	ip: string;
}

interface EncodeRequest extends Sender {
	/** Throws where the sender has no way in any more: an upload can take hours. */
	confirm: (queries: Queries) => Promise<unknown>;
	body: Readable;
	contentType: string;
	idempotencyKey?: string;
}

export type EncodeOptions = FormOptions & { publicUrl: string };

/** Encrypts a form into a new container, once for each idempotency key. @throws ServiceError */
export async function encode(vault: Vault, request: EncodeRequest, options: EncodeOptions) {
	const { ownerId, user, idempotencyKey } = request;
	const { publicUrl } = options;
	const form = await readForm(request.body, request.contentType, options);
	if (idempotencyKey === undefined) {
		const response = await store(vault, form, { sender: request, publicUrl });
		return { response, isReplayed: false };
	}
	const keyed = toKeyedRequest(user.id, idempotencyKey, [ownerId, form.manifest.canonical]);
	const earlier = await findEarlierResponse(vault, keyed, async () => await hashFiles(form));
	if (earlier) return { response: earlier, isReplayed: true };
	const run = async () => await store(vault, form, { sender: request, publicUrl, keyed });
	const response = await holdKey(vault, keyed, run);
	return { response, isReplayed: false };
}

interface StoreOptions {
	sender: Sender & Pick<EncodeRequest, 'confirm'>;
	publicUrl: string;
	keyed?: KeyedRequest;
}

/** A crash is harmless: first the encrypted file, under a name that no row has, flushed; then one transaction. */
async function store(vault: Vault, form: IncomingForm, { sender, publicUrl, keyed }: StoreOptions) {
	const { keys } = vault;
	const { name, password, rules } = form.manifest;
	const owner_id = sender.ownerId;
	const id = randomUUID();
	const object = randomUUID();
	const age = await createAgeFile();
	const secret = await createSecret(id, age.identity, password);
	const { files, objectSha256 } = await writeFiles(vault, object, form.files, age.encrypt);
	const now = new Date().toISOString();
	return await transact(vault, async (queries, record) => {
		await sender.confirm(queries);
		const container = await insertContainer(queries, {
			id,
			owner_id,
			name,
			created_date: now,
			updated_date: now,
			object,
			size: files.reduce((total, file) => total + file.size, 0),
			file_count: files.length,
			opens_used: 0,
			revision: 1,
			...seal(keys, { id, owner_id }, { rules, files, secret, objectSha256 }),
		});
		const about = { ownerId: owner_id, container, user: sender.user.address };
		await record({ ...about, action: 'container.create', detail: { ip: sender.ip } });
		const response = toEnvelope(container, publicUrl);
		const hashes = files.map(({ sha256 }) => sha256);
		if (keyed) await keepResponse(queries, keys.current(), keyed, { response, hashes });
		return response;
	});
}

type Encrypt = (content: AsyncIterable<Uint8Array>, hash: Hash) => AsyncIterable<Buffer>;

/** @returns the table of the files, as they follow each other in the encrypted one, whose SHA-256 comes with it */
async function writeFiles(
	{ storage }: Vault,
	object: string,
	incoming: AsyncIterable<IncomingFile>,
	encrypt: Encrypt,
) {
	const files: StoredFile[] = [];
	const hash = createHash('sha256');
	const content = concatenate(incoming, (file) => void files.push(file));
	try {
		await storage.write(object, encrypt(content, hash));
	} catch (error) {
		// What stays is removed after a day.
		await storage.remove(object).catch(() => undefined);
		throw error;
	}
	return { files, objectSha256: hash.digest('hex') };
}

/** @param onFile gets each file when all of it was read */
async function* concatenate(
	files: AsyncIterable<IncomingFile>,
	onFile: (file: StoredFile) => void,
): AsyncGenerator<Uint8Array> {
	let offset = 0;
	for await (const { content, ...file } of files) {
		const hash = createHash('sha256');
		let size = 0;
		for await (const piece of content) {
			hash.update(piece);
			size += piece.length;
			yield piece;
		}
		onFile({ ...file, size, offset, sha256: hash.digest('hex') });
		offset += size;
	}
}

/** Reads the files only to compare them with those of an earlier request. */
async function hashFiles({ files }: IncomingForm): Promise<string[]> {
	const hashes: string[] = [];
	for await (const { content } of files) {
		const hash = createHash('sha256');
		for await (const piece of content) hash.update(piece);
		hashes.push(hash.digest('hex'));
	}
	return hashes;
}
