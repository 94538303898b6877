import { isNamed } from '../containers/addresses.mts';
import { readRecipients } from '../containers/recipientIndex.mts';
import { transact } from '../containers/trail.mts';
import { countRequests } from '../database/fileRequests.mts';
import { readAllContainers, updateUser } from '../database/queries.mts';
import type { Database, UserRow } from '../database/schema.mts';
import { SettingError } from '../errors.mts';
import { describeCount, describeRequests, getUser, type VaultInvocation } from './command.mts';

/** From here on, each request finds the mark: API, waits, sessions, codes. */
export async function disableUser({ vault, args: [email], flags }: VaultInvocation) {
	const { database } = vault;
	const user = await getUser(database, email);
	const now = new Date().toISOString();
	const disabled_date = user.disabled_date ?? now;
	// To disable somebody again opens nothing.
	const closed_date = flags.has('close') ? (user.closed_date ?? now) : user.closed_date;
	await transact(vault, async (queries, record) => {
		await updateUser(queries, user.id, { disabled_date, closed_date });
		const detail = { closed: closed_date !== null };
		// Whoever waits for events of this user is answered now, too.
		await record({ action: 'user.disable', ownerId: user.id, user: '', detail });
	});
	const ended = `${user.email} is disabled: no API key works, and nobody signs in as the owner.`;
	const more = await describeRest(database, { ...user, closed_date });
	return { lines: [ended, ...more] };
}

/** What somebody who disables a user has to know, and to do. */
async function describeRest(database: Database, { id, address, closed_date }: UserRow) {
	let owned = 0;
	let open = 0;
	for await (const row of readAllContainers(database)) {
		const isOwned = row.owner_id === id;
		if (isOwned) owned += 1;
		if (isNamed(readRecipients(row), address) && !(isOwned && closed_date)) open += 1;
	}
	const asked = await countRequests(database, id);
	const lines: string[] = [];
	if (owned > 0 && closed_date) lines.push(`Closed for recipients: ${describeCount(owned)}.`);
	else if (owned > 0) lines.push(`Still open for recipients: ${describeCount(owned)}.`);
	const state = closed_date ? 'Closed' : 'Still open';
	if (asked > 0) lines.push(`${state} for senders: ${describeRequests(asked)}.`);
	if (open > 0) {
		lines.push(
			`As a recipient, whoever reads the mails to ${address} can still open ${describeCount(open)}: "users export ${address}" lists them.`,
		);
	}
	if (!(await hasAdmin(database))) lines.push('No admin is left who is enabled.');
	return lines;
}

async function hasAdmin(database: Database): Promise<boolean> {
	const admins = database.selectFrom('users').select('id').where('role', '=', 'admin');
	const found = await admins.where('disabled_date', 'is', null).executeTakeFirst();
	return found !== undefined;
}

export async function enableUser({ vault, args: [email] }: VaultInvocation) {
	const user = await getUser(vault.database, email);
	if (user.disabled_date === null) throw new SettingError(`The user ${user.email} is enabled.`);
	await transact(vault, async (queries, record) => {
		await updateUser(queries, user.id, { disabled_date: null, closed_date: null });
		await record({ action: 'user.enable', ownerId: user.id, user: '', detail: {} });
	});
	const done = `${user.email} is enabled: API keys that were not revoked work again, and containers are open as their rules say.`;
	return { lines: [done] };
}
