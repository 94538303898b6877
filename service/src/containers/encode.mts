import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { insertContainer } from '../database/containerRows.mts';
import { addEvent } from '../database/eventRows.mts';
import {
	claimKey,
	extendLease,
	freeKey,
	LEASE_MS,
	storeResponse,
	type Claim,
} from '../database/idempotencyKeys.mts';
import { invalid, malformed, ServiceError, tooLarge, type FieldProblems } from '../errors.mts';
import { createAgeFile } from './ageFile.mts';
import { toEnvelope } from './containerRecord.mts';
import { FormError, parseForm, readBody, type FormEvent, type FormPart } from './form.mts';
import { parseManifest, type ParsedManifest } from './manifest.mts';
import { deriveKey } from './masterKeys.mts';
import { toCanonicalJson } from './rules.mts';
import { createSecret, seal, type StoredFile } from './seal.mts';
import type { Vault } from './vault.mts';

/** Each name of the manifest's part, and the name of the files beside it. */
const FILE_PARTS: Record<string, string> = { 'manifest.json': 'file', manifest: 'files' };

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 10_000;
const MAX_NAME_CHARACTERS = 255;

export interface Upload {
	ownerId: string;
	/** Who uploads: an event and the idempotency key are theirs. */
	user: { id: string; email: string };
	ip: string;
	body: Readable;
	contentType: string;
	idempotencyKey?: string;
}

export interface EncodeOptions {
	checkManifest: (manifest: unknown) => FieldProblems;
	publicUrl: string;
	maxBytes: number;
}

/**
 * Encrypts an upload into a new container. Nothing is created unless all of it arrived and is stored.
 *
 * The order of writes is what makes a crash harmless: first the encrypted file under a name that no row has, flushed;
 * then one transaction with the row, its event and the response of the idempotency key.
 *
 * @throws ServiceError
 */
export async function encode(vault: Vault, upload: Upload, options: EncodeOptions) {
	try {
		const form = parseForm(readBody(upload.body, options.maxBytes), upload.contentType);
		const { text, filePart } = await readManifestPart(form);
		const { manifest, parsed } = parseManifest(text, options.checkManifest);
		const { user, idempotencyKey: key } = upload;
		if (key === undefined) {
			const response = await store(vault, { ...upload, ...options, form, filePart, parsed });
			return { response, isReplayed: false };
		}
		const claim = { userId: user.id, key, holder: randomUUID() };
		const earlier = await claimWith(vault, claim, manifest);
		if (earlier !== undefined) return { response: earlier, isReplayed: true };
		const lease = setInterval(() => {
			extendLease(vault.database, claim).catch(() => undefined);
		}, LEASE_MS / 3);
		try {
			const response = await store(vault, { ...upload, ...options, form, filePart, parsed, claim });
			return { response, isReplayed: false };
		} catch (error) {
			await freeKey(vault.database, claim);
			throw error;
		} finally {
			clearInterval(lease);
		}
	} catch (error) {
		throw error instanceof FormError ? malformed(error.message) : error;
	}
}

/** @returns the response of the request that had the key before; nothing where this is the first */
async function claimWith(
	{ database, keys }: Vault,
	claim: Claim,
	manifest: object,
): Promise<unknown> {
	const fingerprintBy = (masterKeyId: string) => {
		// Keyed, because the manifest can hold a password that is short enough to be guessed.
		const hmac = createHmac('sha256', deriveKey(keys.find(masterKeyId), 'idempotency'));
		return `${masterKeyId} ${hmac.update(toCanonicalJson(manifest)).digest('base64url')}`;
	};
	const earlier = await claimKey(database, claim, fingerprintBy(keys.current().id));
	if (earlier === undefined) return undefined;
	const [masterKeyId] = earlier.fingerprint.split(' ');
	if (earlier.fingerprint !== fingerprintBy(masterKeyId)) {
		throw invalid({ 'Idempotency-Key': 'was used with another manifest' });
	}
	if (earlier.response !== null) return JSON.parse(earlier.response);
	const retryAfter = Math.max(Math.ceil((earlier.leaseUntil - Date.now()) / 1000), 1);
	const message = 'A request with this Idempotency-Key is still running.';
	throw new ServiceError(409, 'in_progress', message, { retryAfter });
}

type Form = AsyncGenerator<FormEvent>;

interface PreparedUpload extends Upload, EncodeOptions {
	form: Form;
	filePart: string;
	parsed: ParsedManifest;
	claim?: Claim;
}

async function store(vault: Vault, upload: PreparedUpload) {
	const { database, storage, keys } = vault;
	const { parsed, user, claim } = upload;
	const { name, password, rules } = parsed;
	const id = randomUUID();
	const object = randomUUID();
	const age = await createAgeFile();
	const secret = await createSecret(id, age.identity, password);
	const files: StoredFile[] = [];
	try {
		await storage.write(object, age.encrypt(readFiles(upload, files)));
		const now = new Date().toISOString();
		return await database.transaction().execute(async (transaction) => {
			const row = await insertContainer(transaction, {
				...{ id, owner_id: upload.ownerId, name, created_date: now, updated_date: now },
				...{ size: sum(files), file_count: files.length, object, opens_used: 0, revision: 1 },
				...seal(keys, { id, owner_id: upload.ownerId, rules, files }, secret),
			});
			const event = { action: 'container.create' as const, container: row, user: user.email };
			await addEvent(transaction, { ...event, detail: { ip: upload.ip } });
			const response = toEnvelope(row, upload.publicUrl);
			if (claim && !(await storeResponse(transaction, claim, JSON.stringify(response)))) {
				throw new ServiceError(
					409,
					'in_progress',
					'Another request took over the Idempotency-Key.',
				);
			}
			return response;
		});
	} catch (error) {
		// A file that stays is removed after a day.
		await storage.remove(object).catch(() => undefined);
		throw error;
	}
}

const sum = (files: StoredFile[]) => files.reduce((total, { size }) => total + size, 0);

/** Returns the bytes of all files, one after the other, and fills in the table of files. */
async function* readFiles({ form, filePart, parsed }: PreparedUpload, files: StoredFile[]) {
	let hash = createHash('sha256');
	let offset = 0;
	for await (const event of form) {
		if ('part' in event) {
			if (event.part.name !== filePart) throw malformed(describeUnexpected(event.part, filePart));
			const settings = toFile(event.part, files.length, parsed);
			files.push({ ...settings, size: 0, offset, sha256: '' });
			hash = createHash('sha256');
			continue;
		}
		const file = files[files.length - 1];
		if ('end' in event) {
			file.sha256 = hash.digest('hex');
			continue;
		}
		hash.update(event.data);
		file.size += event.data.length;
		offset += event.data.length;
		yield event.data;
	}
	if (files.length === 0) throw malformed(`The form has no part "${filePart}".`);
}

function describeUnexpected({ name }: FormPart, filePart: string): string {
	const isManifest = name in FILE_PARTS;
	return isManifest
		? 'The form has two manifests.'
		: `The form has a part "${name}" where "${filePart}" is expected.`;
}

const CONTROL = /[\u0000-\u001f\u007f]/;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** @throws ServiceError 422 for a name that can't be one */
function toFile(
	{ filename = '', type }: FormPart,
	index: number,
	{ fileSettings }: ParsedManifest,
) {
	const name = filename.split(/[/\\]/).at(-1) ?? '';
	const at = `file.${index}.name`;
	if (index >= MAX_FILES) throw invalid({ file: `can come at most ${MAX_FILES} times` });
	if (name === '' || name === '.' || name === '..') throw invalid({ [at]: 'is missing' });
	if (CONTROL.test(name)) throw invalid({ [at]: 'has control characters' });
	if (name.length > MAX_NAME_CHARACTERS) {
		throw invalid({ [at]: `must have at most ${MAX_NAME_CHARACTERS} characters` });
	}
	const settings = fileSettings.get(name);
	const wanted = settings?.type ?? type;
	return {
		name,
		type: MEDIA_TYPE.test(wanted) ? wanted.toLowerCase() : 'application/octet-stream',
		hidden: settings?.hidden ?? false,
	};
}

/** Reads the first part of the form, which must be the manifest. */
async function readManifestPart(form: Form): Promise<{ text: string; filePart: string }> {
	const first = await form.next();
	const event = first.done ? undefined : first.value;
	if (event === undefined || !('part' in event)) throw malformed('The form has no parts.');
	const { name } = event.part;
	const filePart = Object.hasOwn(FILE_PARTS, name) ? FILE_PARTS[name] : undefined;
	if (filePart === undefined) {
		throw malformed(`The first part must be "manifest.json", but it is "${name}".`);
	}
	const chunks: Buffer[] = [];
	let size = 0;
	for (;;) {
		const next = await form.next();
		if (next.done || !('data' in next.value)) break;
		size += next.value.data.length;
		if (size > MAX_MANIFEST_BYTES) throw tooLarge('manifest', MAX_MANIFEST_BYTES);
		chunks.push(next.value.data);
	}
	return { text: decodeUtf8(Buffer.concat(chunks)), filePart };
}

function decodeUtf8(bytes: Buffer): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		throw malformed('The manifest is not UTF-8.');
	}
}
