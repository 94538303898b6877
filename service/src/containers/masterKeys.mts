import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ID is the beginning of the key's SHA-256. It is stored with what the key seals. */
interface MasterKey {
	id: string;
	secret: Buffer;
}

export interface MasterKeys {
	/** The key that seals now. */
	current(): MasterKey;
	find(id: string): MasterKey | undefined;
}

const KEY_BYTES = 32;

export const createMasterKey = () => randomBytes(KEY_BYTES).toString('base64');

/** @returns the key; nothing where the text is not 32 bytes in Base64 */
export function parseMasterKey(text: string): MasterKey | undefined {
	const secret = Buffer.from(text, 'base64');
	if (secret.length !== KEY_BYTES || secret.toString('base64') !== text) return undefined;
	return { id: createHash('sha256').update(secret).digest('hex').slice(0, 16), secret };
}

export const masterKeyFiles = (folder: string) => ({
	current: join(folder, 'master.key'),
	previous: join(folder, 'master.key.previous'),
});

interface MasterKeyOptions {
	folder: string;
	/** Settings. Without them, the keys are those of the folder. */
	current?: string;
	previous?: string;
}

/** Files are read each time: another process can renew the key. */
export function openMasterKeys({ folder, ...settings }: MasterKeyOptions): MasterKeys {
	const files = masterKeyFiles(folder);
	const load = (name: keyof typeof files) => {
		const text = settings[name] ?? (existsSync(files[name]) && readFileSync(files[name], 'utf8'));
		return text ? parseMasterKey(text.trim()) : undefined;
	};
	return {
		current() {
			const key = load('current');
			if (key === undefined) throw new Error(`${files.current} is missing, or has no key`);
			return key;
		},
		find: (id) => [load('current'), load('previous')].find((key) => key?.id === id),
	};
}

/** A key for one purpose. The purpose is part of what was sealed: it never changes. */
export function deriveKey({ secret }: MasterKey, purpose: string, salt = ''): Buffer {
	return Buffer.from(
		hkdfSync('sha256', secret, salt, `encrypted-containers ${purpose}`, KEY_BYTES),
	);
}
