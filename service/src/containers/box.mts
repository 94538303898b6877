import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text under a key, and binds it to a context that is not stored with it. */
export function lock(key: Buffer, text: string, context: string): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
	const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
	return Buffer.concat([iv, encrypted, cipher.getAuthTag()]).toString('base64url');
}

/** @returns the text; nothing where the key or the context is another one, or the box was changed */
export function unlock(key: Buffer, box: string, context: string): string | undefined {
	const bytes = Buffer.from(box, 'base64url');
	if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
	const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
		authTagLength: TAG_BYTES,
	})
		.setAAD(Buffer.from(context))
		.setAuthTag(bytes.subarray(-TAG_BYTES));
	try {
		const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8');
		return text + decipher.final('utf8');
	} catch {
		return undefined;
	}
}
