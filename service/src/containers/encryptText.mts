import * as crypto from 'node:crypto';
import { attempt } from '../errors.mts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text under a key, and binds it to a context that is not stored with it. */
export function encryptText(key: Buffer, text: string, context: string): string {
	const iv = crypto.randomBytes(IV_BYTES);
	const cipher = crypto.createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
	const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]).toString('base64url');
}

/** @returns the text; nothing where the key or the context is another one, or the box was changed */
export function decryptText(key: Buffer, box: string, context: string): string | undefined {
	const bytes = Buffer.from(box, 'base64url');
	const iv = bytes.subarray(0, IV_BYTES);
	return attempt(() => {
		const decipher = crypto.createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
		decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
		const encrypted = bytes.subarray(IV_BYTES, -TAG_BYTES);
		return decipher.update(encrypted, undefined, 'utf8') + decipher.final('utf8');
	});
}
