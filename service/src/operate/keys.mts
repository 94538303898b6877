import { addApiKey, findUser } from '../database/queries.mts';
import { SettingError } from '../errors.mts';
import { describeNewKey, readAddress, withVault } from './command.mts';
import type { Command, VaultInvocation } from './command.mts';

export const keyCommands: Command[] = [
	{
		usage: 'keys create <email>',
		help: 'Create another API key for a user',
		run: withVault(createApiKey),
	},
	{ usage: 'keys list', help: 'List the API keys', run: withVault(listApiKeys) },
	{ usage: 'keys revoke <id>', help: 'End an API key', run: withVault(revokeApiKey) },
];

async function createApiKey({ vault: { database }, args: [email] }: VaultInvocation) {
	const user = await findUser(database, 'address', readAddress(email));
	if (!user) throw new SettingError(`There is no user ${email}.`);
	const { id, key } = await addApiKey(database, user.id);
	return { lines: [`Key ID    ${id}`, describeNewKey(key)] };
}

async function listApiKeys({ vault: { database } }: VaultInvocation) {
	const keys = await database
		.selectFrom('api_keys as key')
		.innerJoin('users', 'users.id', 'key.user_id')
		.select(['key.id', 'email', 'key.created_date', 'revoked_date'])
		.orderBy('key.created_date')
		.execute();
	const lines = keys.map(({ id, email, created_date, revoked_date }) => {
		const state = revoked_date === null ? 'valid' : `revoked ${revoked_date}`;
		return `${id}   ${email}   created ${created_date}   ${state}`;
	});
	return { lines };
}

async function revokeApiKey({ vault: { database }, args: [id] }: VaultInvocation) {
	const valid = database.updateTable('api_keys').where('revoked_date', 'is', null);
	const change = { revoked_date: new Date().toISOString() };
	const revoked = await valid.set(change).where('id', '=', id).returning('id').executeTakeFirst();
	if (!revoked) throw new SettingError(`There is no valid API key with the ID ${id}.`);
	return { lines: ['The API key is revoked.'] };
}
