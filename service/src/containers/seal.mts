import { randomBytes, scrypt } from 'node:crypto';
import pLimit from 'p-limit';
import type { ContainerRow } from '../database/schema.mts';
import { lock, unlock } from './box.mts';
import { deriveKey, type MasterKeys } from './masterKeys.mts';
import { toCanonicalJson, type DrmRules } from './rules.mts';

/** One file of a container, and where it begins in the encrypted content. */
export interface StoredFile {
	name: string;
	type: string;
	size: number;
	offset: number;
	sha256: string;
	hidden: boolean;
}

/** The identity of the age file, in the open or locked with a password. */
type Secret = { identity: string } | { box: string; salt: string; cost: number };

/** What nobody can change without the master key. */
interface SealedFacts {
	id: string;
	owner_id: string;
	rules: DrmRules;
	files: StoredFile[];
}

type SealColumns = Pick<ContainerRow, 'rules' | 'files' | 'seal' | 'master_key_id'>;

const SCRYPT_COST = 2 ** 15;
/** Each takes 32 MB, and a thread that file access needs, too. */
const limitScrypt = pLimit(2);

/** @returns the columns that hold the rules, the files and the sealed secret */
export function seal(keys: MasterKeys, facts: SealedFacts, secret: Secret): SealColumns {
	const key = keys.current();
	return {
		rules: toCanonicalJson(facts.rules),
		files: JSON.stringify(facts.files),
		seal: lock(deriveKey(key, 'seal', facts.id), JSON.stringify(secret), toContext(facts)),
		master_key_id: key.id,
	};
}

/** @throws Error where the ID, the owner, the rules or the files are not those that were sealed */
export function openSeal(keys: MasterKeys, row: SealColumns & { id: string; owner_id: string }) {
	const { id, owner_id } = row;
	const rules = JSON.parse(row.rules) as DrmRules;
	const files = JSON.parse(row.files) as StoredFile[];
	const key = keys.find(row.master_key_id);
	const context = toContext({ id, owner_id, rules, files });
	const text = key && unlock(deriveKey(key, 'seal', id), row.seal, context);
	if (text === undefined) throw new Error(`The seal of container ${id} is broken`);
	return { rules, files, secret: JSON.parse(text) as Secret };
}

const toContext = ({ id, owner_id, rules, files }: SealedFacts) =>
	toCanonicalJson({ version: 1, id, owner_id, rules, files });

/** Locks an identity with a password, where there is one. */
export async function createSecret(
	id: string,
	identity: string,
	password?: string,
): Promise<Secret> {
	if (password === undefined) return { identity };
	const salt = randomBytes(16).toString('base64url');
	const key = await derivePasswordKey(password, salt, SCRYPT_COST);
	return { box: lock(key, identity, id), salt, cost: SCRYPT_COST };
}

/** @returns the key that a password gives; nothing where it is wrong */
export async function checkPassword(id: string, secret: Secret, password: string) {
	if ('identity' in secret) return undefined;
	const key = await derivePasswordKey(password, secret.salt, secret.cost);
	return getIdentity(id, secret, key) && key;
}

/** @returns the identity of the age file; nothing where it needs another key */
export function getIdentity(id: string, secret: Secret, passwordKey?: Buffer): string | undefined {
	if ('identity' in secret) return secret.identity;
	return passwordKey && unlock(passwordKey, secret.box, id);
}

/** Unicode forms of one text are one password. */
async function derivePasswordKey(password: string, salt: string, cost: number): Promise<Buffer> {
	const options = { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 };
	const derive = (resolve: (key: Buffer) => void, reject: (error: Error) => void) =>
		scrypt(password.normalize('NFC'), salt, 32, options, (error, key) =>
			error ? reject(error) : resolve(key),
		);
	return await limitScrypt(() => new Promise(derive));
}
