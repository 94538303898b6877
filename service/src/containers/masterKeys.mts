import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { attempt } from '../errors.mts';

/** The ID is the beginning of the key's SHA-256. It is stored with what the key seals. */
export type MasterKey = { id: string; secret: Buffer };

const KEY_BYTES = 32;

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
