import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Check } from '../contract.mts';
import { insertContainer } from '../database/containerRows.mts';
import { addEvent } from '../database/eventRows.mts';
import {
	claimKey,
	freeKey,
	LEASE_MS,
	updateKey,
	type Claim,
} from '../database/idempotencyKeys.mts';
import { invalid, malformed, ServiceError, tooLarge } from '../errors.mts';
import { createAgeFile } from './ageFile.mts';
import { toEnvelope } from './containerRecord.mts';
import { parseForm, readBody, type FormEvent, type FormPart } from './form.mts';
import { parseManifest, type ParsedManifest } from './manifest.mts';
import { deriveKey } from './masterKeys.mts';
import { createSecret, seal, type StoredFile } from './seal.mts';
import type { Vault } from './vault.mts';

/** The name of the manifest's part, and that of the files beside it. */
const FILE_PARTS = new Map([
	['manifest.json', 'file'],
	['manifest', 'files'],
]);
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 10_000;
const MAX_NAME_CHARACTERS = 255;

interface Upload {
	ownerId: string;
	/** Who uploads. */
	user: { id: string; email: string };
	ip: string;
	body: Readable;
	contentType: string;
	idempotencyKey?: string;
}

export interface EncodeOptions {
	checkManifest: Check;
	publicUrl: string;
	maxUploadBytes: number;
}

type Form = AsyncGenerator<FormEvent>;

interface PreparedUpload extends Upload {
	form: Form;
	filePart: string;
	manifest: ParsedManifest;
	publicUrl: string;
	claim?: Claim;
}

/** Encrypts an upload into a new container, once for each idempotency key. @throws ServiceError */
export async function encode(vault: Vault, upload: Upload, options: EncodeOptions) {
	const { checkManifest, publicUrl, maxUploadBytes } = options;
	const form = parseForm(readBody(upload.body, maxUploadBytes), upload.contentType);
	const { bytes, filePart } = await readManifestPart(form);
	const manifest = parseManifest(bytes, checkManifest);
	const prepared = { ...upload, form, filePart, manifest, publicUrl };
	if (upload.idempotencyKey === undefined) {
		return { response: await store(vault, prepared), isReplayed: false };
	}
	const claim = { user_id: upload.user.id, key: upload.idempotencyKey, holder: randomUUID() };
	const earlier = await findEarlierResponse(vault, claim, manifest.fingerprint);
	if (earlier !== undefined) return { response: earlier, isReplayed: true };
	const renew = () => updateKey(vault.database, claim, { lease_until: Date.now() + LEASE_MS });
	const lease = setInterval(() => void renew().catch(() => undefined), LEASE_MS / 3);
	try {
		return { response: await store(vault, { ...prepared, claim }), isReplayed: false };
	} catch (error) {
		await freeKey(vault.database, claim);
		throw error;
	} finally {
		clearInterval(lease);
	}
}

/** @returns the response of the request that had the key before; nothing where this is the first */
async function findEarlierResponse({ database, keys }: Vault, claim: Claim, manifest: string) {
	// Keyed, because the manifest can hold a password that is short enough to be guessed.
	const hash = (key = keys.current()) => {
		const hmac = createHmac('sha256', deriveKey(key, 'idempotency')).update(manifest);
		return `${key.id} ${hmac.digest('base64url')}`;
	};
	const earlier = await claimKey(database, claim, hash());
	if (earlier === undefined) return undefined;
	const { fingerprint, response, lease_until } = earlier;
	if (fingerprint !== hash(keys.find(fingerprint.split(' ')[0]))) {
		throw invalid({ 'Idempotency-Key': 'was used with another manifest' });
	}
	if (response !== null) return JSON.parse(response) as object;
	const retryAfter = Math.max(Math.ceil((lease_until - Date.now()) / 1000), 1);
	const message = 'A request with this Idempotency-Key is still running.';
	throw new ServiceError(409, 'in_progress', message, { retryAfter });
}

/**
 * The order of writes makes a crash harmless: first the encrypted file, under a name that no row has, flushed;
 * then one transaction with the row, its event and the response of the idempotency key.
 */
async function store(vault: Vault, upload: PreparedUpload) {
	const { database, storage, keys } = vault;
	const { ownerId: owner_id, user, ip, claim, manifest } = upload;
	const [id, object, age] = [randomUUID(), randomUUID(), await createAgeFile()];
	const secret = await createSecret(id, age.identity, manifest.password);
	const files: StoredFile[] = [];
	try {
		await storage.write(object, age.encrypt(readFiles(upload, files)));
		const now = new Date().toISOString();
		const facts = { id, owner_id, rules: manifest.rules, files };
		return await database.transaction().execute(async (queries) => {
			const container = await insertContainer(queries, {
				...{ id, owner_id, name: manifest.name, created_date: now, updated_date: now, object },
				...{ size: getSize(files), file_count: files.length, opens_used: 0, revision: 1 },
				...seal(keys, facts, secret),
			});
			const event = { action: 'container.create', user: user.email, detail: { ip } } as const;
			await addEvent(queries, { ...event, container });
			const response = toEnvelope(container, upload.publicUrl);
			if (claim && !(await updateKey(queries, claim, { response: JSON.stringify(response) }))) {
				throw new ServiceError(
					409,
					'in_progress',
					'Another request took the Idempotency-Key over.',
					{
						retryAfter: 1,
					},
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

export const getSize = (files: StoredFile[]) => files.reduce((total, { size }) => total + size, 0);

/** Reads the first part of the form, which must be the manifest. */
async function readManifestPart(form: Form): Promise<{ bytes: Buffer; filePart: string }> {
	const first = (await form.next()).value as FormEvent | undefined;
	const name = first && 'part' in first ? first.part.name : undefined;
	const filePart = FILE_PARTS.get(name ?? '');
	if (filePart === undefined) throw malformed('The first part must be named "manifest.json".');
	const chunks: Buffer[] = [];
	for (let size = 0; ;) {
		const { value } = await form.next();
		if (!value || !('data' in value)) return { bytes: Buffer.concat(chunks), filePart };
		size += value.data.length;
		if (size > MAX_MANIFEST_BYTES) throw tooLarge('manifest', MAX_MANIFEST_BYTES);
		chunks.push(value.data);
	}
}

/** Returns the bytes of all files, one after the other, and fills in the table of files. */
async function* readFiles({ form, filePart, manifest }: PreparedUpload, files: StoredFile[]) {
	let hash = createHash('sha256');
	for await (const event of form) {
		const last = files.at(-1);
		if ('part' in event) {
			const { name } = event.part;
			if (FILE_PARTS.has(name)) throw malformed('The form has two manifests.');
			if (name !== filePart)
				throw malformed(`The part after the manifest must be named "${filePart}".`);
			files.push(toStoredFile(event.part, files, manifest));
			hash = createHash('sha256');
		} else if (last !== undefined && 'data' in event) {
			hash.update(event.data);
			last.size += event.data.length;
			yield event.data;
		} else if (last !== undefined) last.sha256 = hash.digest('hex');
	}
	if (files.length === 0) throw malformed(`The form has no part "${filePart}".`);
	const names = new Set(files.map(({ name }) => name));
	const unknown = Object.keys(manifest.files).find((name) => !names.has(name));
	if (unknown !== undefined)
		throw invalid({ [`files.${unknown}`]: 'names a file that was not sent' });
}

/** @throws ServiceError 422 for a name that a file can't have */
function toStoredFile(part: FormPart, files: StoredFile[], manifest: ParsedManifest): StoredFile {
	const name = part.filename.split(/[/\\]/).at(-1)!;
	const path = `file.${files.length}.name`;
	if (files.length === MAX_FILES) throw invalid({ file: `can come at most ${MAX_FILES} times` });
	if (['', '.', '..'].includes(name)) throw invalid({ [path]: 'is missing' });
	if (/\p{Cc}/u.test(name)) throw invalid({ [path]: 'has control characters' });
	if (name.length > MAX_NAME_CHARACTERS) {
		throw invalid({ [path]: `must have at most ${MAX_NAME_CHARACTERS} characters` });
	}
	const { type = part.type, hidden = false } = Object.hasOwn(manifest.files, name)
		? manifest.files[name]
		: {};
	const isType = /^[\w.+-]+\/[\w.+-]+$/.test(type);
	const last = files.at(-1);
	return {
		...{ name, type: isType ? type.toLowerCase() : 'application/octet-stream', hidden },
		...{ size: 0, offset: last === undefined ? 0 : last.offset + last.size, sha256: '' },
	};
}
