import { existsSync, readFileSync } from 'node:fs';
import { createMasterKey } from '../containers/seal.mts';
import { resealContainers } from '../containers/vault.mts';
import { SettingError } from '../errors.mts';
import { getMasterKeyFile } from '../openVault.mts';
import { writeWhole } from '../writeWhole.mts';
import { describeCount, withVault, type Command, type VaultInvocation } from './command.mts';

export const masterKeyCommands: Command[] = [
	{
		usage: 'master-key rotate',
		help: 'Seal all containers with a new master key',
		run: withVault(rotateMasterKey),
	},
];

/** Seals every container again. No key is lost: other processes still seal with it, and backups can need it. */
async function rotateMasterKey({ vault, config }: VaultInvocation) {
	const { masterKey, previousMasterKey } = config;
	const file = getMasterKeyFile(config);
	if (masterKey && !previousMasterKey && !existsSync(file)) {
		throw new SettingError('Set MASTER_KEY_PREVIOUS to the old key, and MASTER_KEY to a new one.');
	}
	if (!masterKey) {
		// A transaction keeps two rotations from writing at the same time.
		await vault.database.transaction().execute(async () => {
			const keys = `${createMasterKey()}\n${readFileSync(file, 'utf8')}`;
			writeWhole(file, keys, { mode: 0o600 });
		});
	}
	const { count, problems } = await resealContainers(vault);
	const sealed = `${describeCount(count)} sealed with the new master key.`;
	const old = previousMasterKey ? 'MASTER_KEY_PREVIOUS' : file;
	return { problems, lines: [sealed, `Older backups need the old one: ${old}`] };
}
