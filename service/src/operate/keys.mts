import { issueApiKey } from '../containers/issueApiKey.mts';
import { transact } from '../containers/trail.mts';
import { DAY_MS } from '../database/limits.mts';
import type { KeyScope } from '../database/schema.mts';
import { SettingError } from '../errors.mts';
import { describeNewKey, formatTable, getUser, readDays, withVault } from './command.mts';
import type { Command, VaultInvocation } from './command.mts';

export const keyCommands: Command[] = [
	{
		usage: 'keys create <email>',
		help: 'Create another API key for a user (--name, --scope, --days)',
		options: ['name', 'scope', 'days'],
		run: withVault(createApiKey),
	},
	{ usage: 'keys list', help: 'List the API keys', run: withVault(listApiKeys) },
	{ usage: 'keys revoke <id>', help: 'End an API key', run: withVault(revokeApiKey) },
];

const SCOPES: KeyScope[] = ['all', 'read', 'encode'];
const MAX_NAME_LENGTH = 100;

async function createApiKey({ vault, args: [email], options }: VaultInvocation) {
	const name = readKeyName(options.get('name') ?? '');
	const scope = readScope(options.get('scope') ?? 'all');
	const expires_date = findEnd(options.get('days'));
	const user = await getUser(vault.database, email);
	const { id, key } = await transact(
		vault,
		async (queries, record) =>
			await issueApiKey(queries, record, { user_id: user.id, name, scope, expires_date }),
	);
	const end = expires_date === null ? [] : [`Expires   ${expires_date}`];
	return { lines: [`Key ID    ${id}`, describeNewKey(key), ...end] };
}

function readKeyName(name: string): string {
	const isPlain = !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) && name.isWellFormed();
	if (isPlain && name.length <= MAX_NAME_LENGTH) return name.trim();
	throw new SettingError(`--name must be one line of at most ${MAX_NAME_LENGTH} characters.`);
}

function readScope(text: string): KeyScope {
	const scope = SCOPES.find((known) => known === text);
	if (scope) return scope;
	throw new SettingError(`--scope must be one of ${SCOPES.join(', ')}, not "${text}".`);
}

function findEnd(days: string | undefined): string | null {
	if (days === undefined) return null;
	return new Date(Date.now() + readDays(days) * DAY_MS).toISOString();
}

async function listApiKeys({ vault: { database } }: VaultInvocation) {
	const keys = await database
		.selectFrom('api_keys as key')
		.innerJoin('users', 'users.id', 'key.user_id')
		.selectAll('key')
		.select(['email', 'disabled_date'])
		.orderBy('key.created_date')
		.execute();
	const rows = keys.map((key) => [
		key.id,
		key.email,
		key.name,
		key.scope,
		`created ${key.created_date}`,
		describeKeyState(key),
		key.last_used_day === null ? 'never used' : `last used ${key.last_used_day}`,
	]);
	return { lines: formatTable(rows) };
}

interface KeyDates {
	revoked_date: string | null;
	expires_date: string | null;
	/** Of its user. */
	disabled_date: string | null;
}

function describeKeyState({ revoked_date, expires_date, disabled_date }: KeyDates): string {
	if (revoked_date !== null) return `revoked ${revoked_date}`;
	const isOver = expires_date !== null && expires_date <= new Date().toISOString();
	if (isOver) return `expired ${expires_date}`;
	if (disabled_date !== null) return 'of a disabled user';
	return expires_date === null ? 'valid' : `valid until ${expires_date}`;
}

async function revokeApiKey({ vault, args: [id] }: VaultInvocation) {
	await transact(vault, async (queries, record) => {
		const valid = queries.updateTable('api_keys').where('revoked_date', 'is', null);
		const change = { revoked_date: new Date().toISOString() };
		const revoke = valid.set(change).where('id', '=', id).returning('user_id');
		const revoked = await revoke.executeTakeFirst();
		if (!revoked) throw new SettingError(`There is no valid API key with the ID ${id}.`);
		const about = { ownerId: revoked.user_id, user: '', detail: { key: id } };
		await record({ ...about, action: 'key.revoke' });
	});
	return { lines: ['The API key is revoked.'] };
}
