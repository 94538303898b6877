import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MasterKey {
	/** The beginning of the key's SHA-256, stored with what the key seals. */
	id: string;
	secret: Buffer;
}

export interface MasterKeys {
	/** The key that seals now. */
	current(): MasterKey;
	/** @throws Error where no key has this ID */
	find(id: string): MasterKey;
}

export const MASTER_KEY_BYTES = 32;
const FILE = 'master.key';
const PREVIOUS_FILE = 'master.key.previous';

export function createMasterKey(): string {
	return randomBytes(MASTER_KEY_BYTES).toString('base64');
}

/** @returns the key, or nothing where the text is not 32 bytes in Base64 */
export function parseMasterKey(text: string): MasterKey | undefined {
	const secret = Buffer.from(text.trim(), 'base64');
	if (secret.length !== MASTER_KEY_BYTES || secret.toString('base64') !== text.trim())
		return undefined;
	return { id: createHash('sha256').update(secret).digest('hex').slice(0, 16), secret };
}

/** Where the data folder has the key. It is read each time, since another process can renew it. */
export const masterKeyFiles = (folder: string) => ({
	current: join(folder, FILE),
	previous: join(folder, PREVIOUS_FILE),
});

interface MasterKeyOptions {
	folder: string;
	/** Settings that go before the files. */
	current?: string;
	previous?: string;
}

export function openMasterKeys({ folder, current, previous }: MasterKeyOptions): MasterKeys {
	const files = masterKeyFiles(folder);
	const load = (text: string | undefined, file: string) => {
		const key = parseMasterKey(text ?? readIfThere(file) ?? '');
		if (key === undefined && text === undefined && readIfThere(file) !== undefined) {
			throw new Error(`${file} must hold ${MASTER_KEY_BYTES} bytes in Base64`);
		}
		return key;
	};
	const getCurrent = () => {
		const key = load(current, files.current);
		if (key === undefined) throw new Error(`${files.current} is missing`);
		return key;
	};
	return {
		current: getCurrent,
		find(id) {
			const key = getCurrent();
			if (key.id === id) return key;
			const former = load(previous, files.previous);
			if (former?.id === id) return former;
			throw new Error(`No master key has the ID ${id}`);
		},
	};
}

function readIfThere(file: string): string | undefined {
	try {
		return readFileSync(file, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

/** A key for one purpose. The purpose is part of what was sealed: it never changes. */
export function deriveKey({ secret }: MasterKey, purpose: string, salt = ''): Buffer {
	return Buffer.from(hkdfSync('sha256', secret, salt, `encrypted-containers ${purpose}`, 32));
}
