import { createHmac, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { addEvent, insertContainer } from '../database/queries.mts';
import { claimKey, freeKey, LEASE_MS, updateKey } from '../database/idempotencyKeys.mts';
import type { Claim } from '../database/idempotencyKeys.mts';
import { invalid, ServiceError } from '../errors.mts';
import { createAgeFile } from './ageFile.mts';
import { createSecret, deriveKey, seal } from './seal.mts';
import { readUpload, type UploadOptions } from './upload.mts';
import { toEnvelope, type Vault } from './vault.mts';

type Sender = { ownerId: string; user: { id: string; email: string }; ip: string };
type Upload = Sender & { body: Readable; contentType: string; idempotencyKey?: string };
export type EncodeOptions = UploadOptions & { publicUrl: string };

/** Encrypts an upload into a new container, once for each idempotency key. @throws ServiceError */
export async function encode(vault: Vault, upload: Upload, options: EncodeOptions) {
	const { user, idempotencyKey: key } = upload;
	const sent = await readUpload(upload.body, upload.contentType, options);
	const claim = key === undefined ? undefined : { user_id: user.id, key, holder: randomUUID() };
	const earlier = claim && (await findEarlierResponse(vault, claim, sent.manifest.fingerprint));
	if (earlier) return { response: earlier, isReplayed: true };
	const renew = async () =>
		claim && (await updateKey(vault.database, claim, { lease_until: Date.now() + LEASE_MS }));
	const lease = setInterval(() => void renew().catch(() => undefined), LEASE_MS / 3);
	try {
		const response = await store(vault, { ...upload, ...sent, ...options, claim });
		return { response, isReplayed: false };
	} catch (error) {
		if (claim) await freeKey(vault.database, claim);
		throw error;
	} finally {
		clearInterval(lease);
	}
}

const inProgress = (message: string, retryAfter: number) =>
	new ServiceError(409, 'in_progress', message, { retryAfter });

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
	const seconds = Math.max(Math.ceil((lease_until - Date.now()) / 1000), 1);
	throw inProgress('A request with this Idempotency-Key is still running.', seconds);
}

type Sent = Awaited<ReturnType<typeof readUpload>> & { claim?: Claim };

/** A crash is harmless: first the encrypted file, under a name that no row has, flushed; then one transaction. */
async function store({ database, storage, keys }: Vault, upload: Upload & EncodeOptions & Sent) {
	const { ownerId: owner_id, user, ip, manifest, files, content, claim } = upload;
	const [id, object, age] = [randomUUID(), randomUUID(), await createAgeFile()];
	const secret = await createSecret(id, age.identity, manifest.password);
	await storage.write(object, age.encrypt(content)).catch(async (error: Error) => {
		// What stays is removed after a day.
		await storage.remove(object).catch(() => undefined);
		throw error;
	});
	const now = new Date().toISOString();
	const size = files.reduce((total, file) => total + file.size, 0);
	return await database.transaction().execute(async (queries) => {
		const container = await insertContainer(queries, {
			...{ id, owner_id, name: manifest.name, created_date: now, updated_date: now, object },
			...{ size, file_count: files.length, opens_used: 0, revision: 1 },
			...seal(keys, { id, owner_id }, { rules: manifest.rules, files, secret }),
		});
		const event = { action: 'container.create', user: user.email, detail: { ip } } as const;
		await addEvent(queries, { ...event, container });
		const response = toEnvelope(container, upload.publicUrl);
		if (claim && !(await updateKey(queries, claim, { response: JSON.stringify(response) }))) {
			throw inProgress('Another request took the Idempotency-Key over.', 1);
		}
		return response;
	});
}
