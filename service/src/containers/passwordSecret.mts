import * as crypto from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { decryptText, encryptText } from './encryptText.mts';

/** The identity of the age file, in the open or encrypted with a password. Legacy boxes don't say `parallelization`. */
export type Secret =
	{ identity: string } | { box: string; salt: string; cost: number; parallelization?: number };

/** What OWASP asks for. It is stored with each box, so that it can grow. */
const SCRYPT = { cost: 2 ** 15, parallelization: 3 };
const LEGACY_PARALLELIZATION = 1;
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
	return { box: encryptText(key, identity, id), salt, ...SCRYPT };
}

/** @returns the key that a password gives, in Base64; nothing where it is wrong */
export async function checkPassword(id: string, secret: Secret, password: string) {
	if ('identity' in secret) return undefined;
	const key = (await derivePasswordKey(password, secret)).toString('base64');
	return getIdentity(id, secret, key) && key;
}

export function getIdentity(id: string, secret: Secret, passwordKey?: string): string | undefined {
	if ('identity' in secret) return secret.identity;
	return passwordKey && decryptText(Buffer.from(passwordKey, 'base64'), secret.box, id);
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
		parallelization: parallelization ?? LEGACY_PARALLELIZATION,
		// Twice of what it needs, since Node.js refuses exactly that.
		maxmem: 2 * 128 * SCRYPT_BLOCK_SIZE * cost,
	};
	return await limitScrypt(derive, password.normalize('NFC'), salt, 32, options);
}
