import { createHash, randomUUID, type Hash } from 'node:crypto';
import type { ContainerRow, Queries } from '../database/schema.mts';
import { createAgeFile } from './ageFile.mts';
import type { IncomingFile } from './incomingForm.mts';
import type { Manifest } from './manifest.mts';
import { removeFile } from './destroyContainer.mts';
import { createSecret } from './passwordSecret.mts';
import type { OpenedSeal, StoredFile } from './seal.mts';
import { insertSealed } from './sealedRows.mts';
import { transact, type RecordEvent } from './trail.mts';
import type { Vault } from './vault.mts';

interface NewContainer {
	ownerId: string;
	/** The address of whoever sends it. */
	user: string;
	ip: string;
	manifest: Pick<Manifest, 'name' | 'password' | 'rules'>;
	files: AsyncIterable<IncomingFile>;
	/** The request for files that it comes by. */
	requestId?: string;
	/** Called first in the transaction: throws where it must not be stored. */
	confirm: (queries: Queries, files: StoredFile[]) => Promise<unknown>;
	/** Called last in the transaction. */
	onCreated?: (created: Created) => Promise<void>;
}

interface Created {
	queries: Queries;
	record: RecordEvent;
	container: ContainerRow;
	files: StoredFile[];
}

/** A crash is harmless: first the encrypted file, under a name that no row has, flushed; then one transaction. */
export async function createContainer(vault: Vault, wanted: NewContainer) {
	const { ownerId: owner_id, manifest, user, requestId } = wanted;
	const id = randomUUID();
	const object = randomUUID();
	const age = await createAgeFile();
	const secret = await createSecret(id, age.identity, manifest.password);
	const { files, objectSha256 } = await writeFiles(vault, object, wanted.files, age.encrypt);
	const origin = { request_id: requestId ?? null, sender: requestId === undefined ? null : user };
	const row = { id, owner_id, object, ...origin };
	const opened = { rules: manifest.rules, files, secret, objectSha256 };
	return await store(vault, wanted, { row, opened });
}

interface Written {
	row: Pick<ContainerRow, 'id' | 'owner_id' | 'object' | 'request_id' | 'sender'>;
	opened: OpenedSeal;
}

async function store(vault: Vault, wanted: NewContainer, { row, opened }: Written) {
	const { manifest, user, ip, requestId } = wanted;
	const { files } = opened;
	const now = new Date().toISOString();
	let isConfirmed = false;
	const write = async (queries: Queries, record: RecordEvent) => {
		await wanted.confirm(queries, files);
		isConfirmed = true;
		const columns = {
			...row,
			name: manifest.name,
			created_date: now,
			updated_date: now,
			size: files.reduce((total, file) => total + file.size, 0),
			file_count: files.length,
			opens_used: 0,
			revision: 1,
		};
		const { keys } = vault;
		const container = await insertSealed({ queries, keys }, columns, opened);
		const about = { ownerId: row.owner_id, container, requestId, user };
		await record({ ...about, action: 'container.create', detail: { ip } });
		await wanted.onCreated?.({ queries, record, container, files });
		return { container, files };
	};
	try {
		return await transact(vault, write);
	} catch (error) {
		// Later on, only what stays for a day is sure to be in no row.
		if (!isConfirmed) await removeFile(vault, row);
		throw error;
	}
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
