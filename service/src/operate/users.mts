import { issueApiKey } from '../containers/issueApiKey.mts';
import { transact } from '../containers/trail.mts';
import { createUser, findUser, updateUser } from '../database/queries.mts';
import type { UserRow } from '../database/schema.mts';
import { SettingError } from '../errors.mts';
import { FIRST_KEY } from '../firstOwner.mts';
import { describeCount, describeNewKey, formatTable, getUser } from './command.mts';
import { readAddress, withVault, type Command, type VaultInvocation } from './command.mts';
import { disableUser, enableUser } from './disableUser.mts';
import { transferUser } from './transferUser.mts';
import { eraseAddress, exportAddress } from './personalData.mts';

export const userCommands: Command[] = [
	{
		usage: 'users add <email>',
		help: 'Add a user (--admin: an administrator) with an API key',
		flags: ['admin'],
		run: withVault(addUser),
	},
	{
		usage: 'users list',
		help: 'List the users, with their containers and API keys',
		run: withVault(listUsers),
	},
	{
		usage: 'users disable <email>',
		help: 'End all access of a user (--close: of their recipients, too)',
		flags: ['close'],
		run: withVault(disableUser),
	},
	{
		usage: 'users enable <email>',
		help: 'Give a user, and their recipients, all access again',
		run: withVault(enableUser),
	},
	{
		usage: 'users transfer <email> <other>',
		help: 'Give what a user has (containers, requests, contacts) to another one',
		run: withVault(transferUser),
	},
	{
		usage: 'users rename <email> <new>',
		help: 'Give a user, with all that is theirs, another address',
		run: withVault(renameUser),
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

async function addUser({ vault, args: [email], flags }: VaultInvocation) {
	const address = readAddress(email);
	const existing = await findUser(vault.database, 'address', address);
	if (existing) throw new SettingError(`There is already a user ${email}.`);
	const role = flags.has('admin') ? 'admin' : 'user';
	return await transact(vault, async (queries, record) => {
		const { id } = await createUser(queries, { email, address, role });
		await record({ action: 'user.create', ownerId: id, user: '', detail: {} });
		const { key } = await issueApiKey(queries, record, { user_id: id, name: FIRST_KEY });
		return { lines: [`User ID   ${id}`, describeNewKey(key)] };
	});
}

async function listUsers({ vault: { database } }: VaultInvocation) {
	const users = await database
		.selectFrom('users')
		.selectAll()
		.select((select) => [
			select
				.selectFrom('containers')
				.whereRef('owner_id', '=', 'users.id')
				.select((count) => count.fn.countAll().as('count'))
				.as('containers'),
			select
				.selectFrom('api_keys')
				.whereRef('user_id', '=', 'users.id')
				.where('revoked_date', 'is', null)
				.select((count) => count.fn.countAll().as('count'))
				.as('keys'),
		])
		.orderBy('created_date')
		.execute();
	const rows = users.map((user) => [
		user.email,
		user.id,
		user.role,
		describeCount(Number(user.containers)),
		Number(user.keys) === 1 ? '1 API key' : `${Number(user.keys)} API keys`,
		describeUserState(user),
	]);
	return { lines: formatTable(rows) };
}

function describeUserState({ disabled_date, closed_date }: UserRow): string {
	if (disabled_date === null) return 'enabled';
	const since = `disabled ${disabled_date}`;
	return closed_date === null ? since : `${since}, closed for recipients`;
}

async function renameUser({ vault, args: [from, to] }: VaultInvocation) {
	const address = readAddress(to);
	const user = await transact(vault, async (queries) => {
		const renamed = await getUser(queries, from);
		const other = await findUser(queries, 'address', address);
		if (other && other.id !== renamed.id) {
			throw new SettingError(`There is already a user ${to}. Choose an address that no user has.`);
		}
		await updateUser(queries, renamed.id, { email: to, address });
		return renamed;
	});
	const done = `${to} now has what ${user.email} had: containers, contacts and API keys.`;
	return { lines: [done] };
}
