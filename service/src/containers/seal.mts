import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import stringify from 'safe-stable-stringify';
import type { ContainerRow } from '../database/schema.mts';
import { attempt, ServiceError } from '../errors.mts';
import type { DrmRules } from './rules.mts';

/** The ID is the beginning of the key's SHA-256. It is stored with what the key seals. */
export type MasterKey = { id: string; secret: Buffer };

const KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export const createMasterKey = () => crypto.randomBytes(KEY_BYTES).toString('base64');

export function parseMasterKey(text: string): MasterKey | undefined {
	const secret = Buffer.from(text, 'base64');
	if (secret.length !== KEY_BYTES || secret.toString('base64') !== text) return undefined;
	return { id: crypto.createHash('sha256').update(secret).digest('hex').slice(0, 16), secret };
}

export type MasterKeys = ReturnType<typeof openMasterKeys>;

interface OutsideKeys {
	first?: string[];
	last?: string;
}

/** The first of all seals. The file is read each time: another process can add a key to it. */
export function openMasterKeys(file: string, { first = [], last = '' }: OutsideKeys) {
	const load = () => {
		const lines = attempt(() => readFileSync(file, 'utf8').split('\n')) ?? [];
		return [...first, ...lines, last].flatMap((text) => parseMasterKey(text.trim()) ?? []);
	};
	return {
		current() {
			const [key] = load();
			if (key === undefined) throw new Error(`${file} is missing, or has no key`);
			return key;
		},
		all: load,
		find: (id: string) => load().find((key) => key.id === id),
	};
}

/** A key for one purpose. The purpose is part of what was sealed: it never changes. */
export const deriveKey = ({ secret }: MasterKey, purpose: string, salt = '') =>
	Buffer.from(
		crypto.hkdfSync('sha256', secret, salt, `encrypted-containers ${purpose}`, KEY_BYTES),
	);

/** Encrypts a text under a key, and binds it to a context that is not stored with it. */
export function lock(key: Buffer, text: string, context: string): string {
	const iv = crypto.randomBytes(IV_BYTES);
	const cipher = crypto.createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
	const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]).toString('base64url');
}

/** @returns the text; nothing where the key or the context is another one, or the box was changed */
export function unlock(key: Buffer, box: string, context: string): string | undefined {
	const bytes = Buffer.from(box, 'base64url');
	const iv = bytes.subarray(0, IV_BYTES);
	return attempt(() => {
		const decipher = crypto.createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
		decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
		const encrypted = bytes.subarray(IV_BYTES, -TAG_BYTES);
		return decipher.update(encrypted, undefined, 'utf8') + decipher.final('utf8');
	});
}

export interface StoredFile {
	name: string;
	type: string;
	size: number;
	offset: number;
	sha256: string;
	hidden: boolean;
}

/** The identity of the age file, in the open or locked with a password. Older boxes don't say `parallelization`: it was 1. */
type Secret =
	{ identity: string } | { box: string; salt: string; cost: number; parallelization?: number };

export interface OpenedSeal {
	rules: DrmRules;
	files: StoredFile[];
	secret: Secret;
	/** Of the encrypted file. Seals of version 1 don't have it. */
	objectSha256?: string;
	/** Whether events were already proven when it was made. */
	hasTrails?: boolean;
}

/** Who a container belongs to, and how it came: by a request for files, or not. */
export type Owned = Pick<ContainerRow, 'id' | 'owner_id'> &
	Partial<Pick<ContainerRow, 'request_id' | 'sender'>>;
type Sealed = Pick<ContainerRow, 'rules' | 'files' | 'seal' | 'master_key_id'>;

/** Stands before seals of version 2. */
const SECOND_VERSION = '2.';

export function seal(keys: MasterKeys, owned: Owned, opened: OpenedSeal): Sealed {
	const { rules, files, secret, objectSha256 } = opened;
	const key = keys.current();
	const second = { secret, objectSha256, hasTrails: true };
	const lockAs = (version: number, content: object) => {
		const facts = listFacts(owned, { version, rules, files });
		return lock(deriveKey(key, 'seal', owned.id), JSON.stringify(content), facts);
	};
	return {
		rules: stringify(rules),
		files: JSON.stringify(files),
		seal: objectSha256 ? SECOND_VERSION + lockAs(2, second) : lockAs(1, secret),
		master_key_id: key.id,
	};
}

/** What a seal binds to. Most containers came by no request: what is missing is no fact. */
function listFacts({ id, owner_id, request_id, sender }: Owned, more: object): string {
	const origin = { request_id: request_id ?? undefined, sender: sender ?? undefined };
	const facts = { ...more, id, owner_id, ...origin };
	return stringify(facts);
}

/** @throws ServiceError where the ID, the owner, the sender, the rules or the files are not those that were sealed, or its master key is missing */
export function openSeal(keys: MasterKeys, row: Owned & Sealed): OpenedSeal {
	const { id } = row;
	const rules = JSON.parse(row.rules) as DrmRules;
	const files = JSON.parse(row.files) as StoredFile[];
	const key = keys.find(row.master_key_id);
	if (key === undefined) {
		const message = `Container ${id} can't be opened: the service doesn't have the master key ${row.master_key_id} that sealed it.`;
		throw new ServiceError(500, 'master_key_missing', message);
	}
	const isSecond = row.seal.startsWith(SECOND_VERSION);
	const box = isSecond ? row.seal.slice(SECOND_VERSION.length) : row.seal;
	const facts = listFacts(row, { version: isSecond ? 2 : 1, rules, files });
	const text = unlock(deriveKey(key, 'seal', id), box, facts);
	const message = `Container ${id} can't be opened: it was changed outside of the service.`;
	if (text === undefined) throw new ServiceError(500, 'seal_broken', message);
	if (isSecond) {
		const content = JSON.parse(text) as Omit<OpenedSeal, 'rules' | 'files'>;
		return { rules, files, ...content };
	}
	const secret = JSON.parse(text) as Secret;
	return { rules, files, secret };
}

/** What OWASP asks for. It is stored with each box, so that it can grow. */
const SCRYPT = { cost: 2 ** 15, parallelization: 3 };
const SCRYPT_BLOCK_SIZE = 8;
/** Each takes 32 MB, and a thread that file access needs, too. */
const limitScrypt = pLimit(2);

export async function createSecret(
	id: string,
	identity: string,
	password?: string,
): Promise<Secret> {
	if (password === undefined) return { identity };
	const salt = crypto.randomBytes(16).toString('base64url');
	const key = await derivePasswordKey(password, { salt, ...SCRYPT });
	return { box: lock(key, identity, id), salt, ...SCRYPT };
}

/** @returns the key that a password gives, in Base64; nothing where it is wrong */
export async function checkPassword(id: string, secret: Secret, password: string) {
	if ('identity' in secret) return undefined;
	const key = (await derivePasswordKey(password, secret)).toString('base64');
	return getIdentity(id, secret, key) && key;
}

export function getIdentity(id: string, secret: Secret, passwordKey?: string): string | undefined {
	if ('identity' in secret) return secret.identity;
	return passwordKey && unlock(Buffer.from(passwordKey, 'base64'), secret.box, id);
}

interface Derivation {
	salt: string;
	cost: number;
	parallelization?: number;
}

/** Unicode forms of one text are one password. */
async function derivePasswordKey(password: string, { salt, cost, parallelization }: Derivation) {
	const derive = promisify<string, string, number, crypto.ScryptOptions, Buffer>(crypto.scrypt);
	const options: crypto.ScryptOptions = {
		cost,
		blockSize: SCRYPT_BLOCK_SIZE,
		parallelization: parallelization ?? 1,
		// Twice of what it needs, since Node.js refuses exactly that.
		maxmem: 2 * 128 * SCRYPT_BLOCK_SIZE * cost,
	};
	return await limitScrypt(derive, password.normalize('NFC'), salt, 32, options);
}
