import type { Config } from './config.mts';
import { normalizeAddress } from './containers/addresses.mts';
import { issueApiKey } from './containers/issueApiKey.mts';
import { transact } from './containers/trail.mts';
import type { Vault } from './containers/vault.mts';
import { findUserByKey } from './database/apiKeys.mts';
import { createUser, findUser } from './database/queries.mts';
import { withSetting } from './errors.mts';

/** The name of the key that a user is added with. */
export const FIRST_KEY = 'first';

/** Adds the user of OWNER_EMAIL and the key of API_KEY where they aren't there yet. @returns a key only where it was made now */
export async function ensureOwner(vault: Vault, { owner: email, apiKey }: Config) {
	const address = normalizeAddress(email)!;
	return await transact(vault, async (queries, record) => {
		// A write at the beginning lets two processes that start together take turns.
		await queries.updateTable('meta').set({ name: 'version' }).execute();
		const found = await findUser(queries, 'address', address);
		const user = found ?? (await createUser(queries, { email, address, role: 'admin' }));
		if (!found) await record({ action: 'user.create', ownerId: user.id, user: '', detail: {} });
		const ofOwner = queries.selectFrom('api_keys').select('id').where('user_id', '=', user.id);
		const known = apiKey ? findUserByKey(queries, apiKey) : ofOwner.executeTakeFirst();
		if (await known) return { user };
		const first = { user_id: user.id, key: apiKey, name: apiKey ? 'API_KEY' : FIRST_KEY };
		const { key } = await withSetting('API_KEY', () => issueApiKey(queries, record, first));
		return { user, newKey: apiKey ? undefined : key };
	});
}
