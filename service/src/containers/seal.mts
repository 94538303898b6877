import { randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import type { ContainerRow } from '../database/schema.mts';
import { lock, unlock } from './box.mts';
import { deriveKey, type MasterKeys } from './masterKeys.mts';
import { toCanonicalJson, type DrmRules } from './rules.mts';

/** One file of a container: where it begins in the encrypted content, and what it is. */
export interface StoredFile {
	name: string;
	type: string;
	size: number;
	offset: number;
	sha256: string;
	hidden: boolean;
}

/** What a seal protects: the identity, in the open or locked with a password. */
type Secret = { identity: string } | { box: string; salt: string; cost: number };

/** What the seal binds to the secret. Nobody can change it without the master key. */
interface SealedFacts {
	id: string;
	owner_id: string;
	rules: DrmRules;
	files: StoredFile[];
}

export interface OpenedSeal {
	rules: DrmRules;
	files: StoredFile[];
	secret: Secret;
	needsPassword: boolean;
}

/** The row of a container was changed outside of the service, or its master key is missing. */
export class BrokenSealError extends Error {}

const SCRYPT_COST = 2 ** 15;
const PASSWORD_SALT_BYTES = 16;
const scryptAsync = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);
/** Each takes 32 MB and a thread that file access needs, too. */
const limitScrypt = pLimit(2);

export type SealColumns = Pick<ContainerRow, 'rules' | 'files' | 'seal' | 'master_key_id'>;

/** @returns the columns that hold the secret, the rules and the files */
export function seal(keys: MasterKeys, facts: SealedFacts, secret: Secret): SealColumns {
	const key = keys.current();
	const box = lock(deriveKey(key, 'seal', facts.id), JSON.stringify(secret), getContext(facts));
	const { rules, files } = facts;
	return {
		rules: toCanonicalJson(rules),
		files: JSON.stringify(files),
		seal: box,
		master_key_id: key.id,
	};
}

/** @throws BrokenSealError where the ID, the owner, the rules or the files are not those that were sealed */
export function openSeal(
	keys: MasterKeys,
	row: SealColumns & Pick<ContainerRow, 'id' | 'owner_id'>,
): OpenedSeal {
	const rules = JSON.parse(row.rules) as DrmRules;
	const files = JSON.parse(row.files) as StoredFile[];
	const key = deriveKey(keys.find(row.master_key_id), 'seal', row.id);
	const { id, owner_id } = row;
	const text = unlock(key, row.seal, getContext({ id, owner_id, rules, files }));
	if (text === undefined) throw new BrokenSealError(`The seal of container ${row.id} is broken`);
	const secret = JSON.parse(text) as Secret;
	return { rules, files, secret, needsPassword: !('identity' in secret) };
}

const getContext = ({ id, owner_id, rules, files }: SealedFacts) =>
	toCanonicalJson({ version: 1, id, owner_id, rules, files });

/** Locks an identity with a password, where there is one. */
export async function createSecret(
	id: string,
	identity: string,
	password?: string,
): Promise<Secret> {
	if (password === undefined) return { identity };
	const salt = randomBytes(PASSWORD_SALT_BYTES).toString('base64url');
	const key = await derivePasswordKey(password, salt, SCRYPT_COST);
	return { box: lock(key, identity, id), salt, cost: SCRYPT_COST };
}

/** @returns the key that unlocks the container with `getIdentity`; nothing where the password is wrong */
export async function checkPassword(
	id: string,
	secret: Secret,
	password: string,
): Promise<Buffer | undefined> {
	if ('identity' in secret) return undefined;
	const key = await derivePasswordKey(password, secret.salt, secret.cost);
	return getIdentity(id, secret, key) === undefined ? undefined : key;
}

/** @returns the age identity; nothing where the key is missing or wrong */
export function getIdentity(id: string, secret: Secret, key?: Buffer): string | undefined {
	if ('identity' in secret) return secret.identity;
	return key && unlock(key, secret.box, id);
}

/** Forms of one text, such as é, are one password. */
async function derivePasswordKey(password: string, salt: string, cost: number): Promise<Buffer> {
	const options = { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 };
	return await limitScrypt(
		async () => await scryptAsync(password.normalize('NFC'), salt, 32, options),
	);
}
