import { existsSync, writeFileSync } from 'node:fs';
import { createMasterKey, masterKeyFiles } from './containers/masterKeys.mts';
import type { Config } from './config.mts';
import type { Database, UserRow } from './database/schema.mts';
import {
	createApiKey,
	createUser,
	findUserByAddress,
	findUserByKey,
	storeApiKey,
} from './database/users.mts';
import { SettingError } from './config.mts';

/** Creates the master key in the data folder, unless it comes from the settings or is there. */
export function ensureMasterKey({ folder, masterKey }: Config): void {
	const { current } = masterKeyFiles(folder);
	if (masterKey !== undefined || existsSync(current)) return;
	writeFileSync(current, `${createMasterKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
}

/**
 * Says at the start that containers can't be opened, and not at the first opening.
 *
 * @throws SettingError where the master key isn't the one that the containers were sealed with
 */
export async function assertMasterKey(
	database: Database,
	find: (id: string) => unknown,
): Promise<void> {
	const rows = await database.selectFrom('containers').select('master_key_id').distinct().execute();
	for (const { master_key_id } of rows) {
		try {
			find(master_key_id);
		} catch {
			throw new SettingError(
				`MASTER_KEY (or master.key in the data folder) isn't the key of the containers in this database: they need the one with the ID ${master_key_id}.`,
			);
		}
	}
}

/**
 * Creates the owner and the first API key.
 *
 * @returns the key where it was created now
 */
export async function ensureOwner(
	database: Database,
	{ owner, apiKey }: Config,
): Promise<{ user: UserRow; newKey?: string }> {
	return await database.transaction().execute(async (transaction) => {
		// A write at the beginning lets two processes that start together take turns.
		await transaction
			.updateTable('meta')
			.set({ name: 'version' })
			.where('name', '=', 'version')
			.execute();
		const user =
			(await findUserByAddress(transaction, owner.address)) ??
			(await createUser(transaction, { ...owner, role: 'admin' }));
		if (apiKey !== undefined) {
			const holder = await findUserByKey(transaction, apiKey);
			if (holder === undefined) await storeApiKey(transaction, user.id, apiKey);
			return { user };
		}
		const any = transaction.selectFrom('api_keys').select('id').where('user_id', '=', user.id);
		if ((await any.executeTakeFirst()) !== undefined) return { user };
		const newKey = createApiKey();
		await storeApiKey(transaction, user.id, newKey);
		return { user, newKey };
	});
}
