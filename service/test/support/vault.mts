import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContainer } from '../../src/containers/createContainer.mts';
import { createMasterKey, openMasterKeys } from '../../src/containers/masterKeys.mts';
import type { DrmRules } from '../../src/containers/rules.mts';
import type { Vault } from '../../src/containers/vault.mts';
import { openDatabase } from '../../src/database/open.mts';
import { createBackend, createFolder, usesServers } from './service.mts';

/** A vault in this process, without a service: an empty database, and files in memory. */
export async function createVault() {
	const folder = createFolder();
	const keyFile = join(folder, 'master.key');
	writeFileSync(keyFile, `${createMasterKey()}\n`);
	const backend = usesServers ? await createBackend() : undefined;
	const commits = new EventEmitter();
	const database = await openDatabase(backend?.env.DATABASE_URL, folder, { commits });
	const files = new Map<string, Buffer>();
	const storage: Partial<Vault['storage']> = {
		write: async (name, content) => {
			const pieces: Buffer[] = [];
			for await (const piece of content) pieces.push(piece);
			files.set(name, Buffer.concat(pieces));
		},
		remove: async (name) => void files.delete(name),
	};
	const keys = openMasterKeys(keyFile, {});
	const vault = { database, keys, storage, logEvent: () => undefined } as Partial<Vault> as Vault;
	return { vault, files, commits, end: async () => await database.destroy() };
}

/** Without files. */
export async function storeContainer(vault: Vault, rules: DrmRules = { dynamic: true }) {
	const manifest = { name: 'Test', password: undefined, rules };
	const sender = { ownerId: 'first', user: 'ada@example.com', ip: '192.0.2.1' };
	const confirm = async () => undefined;
	const files = (async function* () {})();
	return (await createContainer(vault, { ...sender, manifest, files, confirm })).container;
}
