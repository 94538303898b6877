import { addApiKey, createUser, findUser } from '../database/queries.mts';
import { SettingError } from '../errors.mts';
import { describeNewKey, readAddress, withVault } from './command.mts';
import type { Command, VaultInvocation } from './command.mts';
import { eraseAddress, exportAddress } from './personalData.mts';

export const userCommands: Command[] = [
	{
		usage: 'users add <email>',
		help: 'Add a user (--admin: an administrator) with an API key',
		flags: ['admin'],
		run: withVault(addUser),
	},
	{
		usage: 'users export <email>',
		help: 'Print as JSON what is stored about an address',
		run: withVault(exportAddress),
	},
	{
		usage: 'users erase <email>',
		help: 'Remove what is stored about an address',
		run: withVault(eraseAddress),
	},
];

async function addUser({ vault: { database }, args: [email], flags }: VaultInvocation) {
	const address = readAddress(email);
	const existing = await findUser(database, 'address', address);
	if (existing) throw new SettingError(`There is already a user ${email}.`);
	const role = flags.has('admin') ? 'admin' : 'user';
	return await database.transaction().execute(async (queries) => {
		const { id } = await createUser(queries, { email, address, role });
		const { key } = await addApiKey(queries, id);
		return { lines: [`User ID   ${id}`, describeNewKey(key)] };
	});
}
