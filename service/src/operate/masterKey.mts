import { readFileSync, rmSync } from 'node:fs';
import type { Config } from '../config.mts';
import { createMasterKey, parseMasterKey } from '../containers/masterKeys.mts';
import { transact } from '../containers/trail.mts';
import { anchorTrails } from '../containers/trailUpkeep.mts';
import { resealContainers } from '../containers/reseal.mts';
import type { Vault } from '../containers/vault.mts';
import { listAdmins } from '../database/queries.mts';
import type { Queries } from '../database/schema.mts';
import { attempt, SettingError } from '../errors.mts';
import { getMasterKeyFile } from '../openVault.mts';
import { resignRequests } from '../requests/requestUpkeep.mts';
import { writeWhole } from '../writeWhole.mts';
import { describeCount, withVault, type Command, type VaultInvocation } from './command.mts';

export const masterKeyCommands: Command[] = [
	{
		usage: 'master-key rotate',
		help: 'Seal all containers with a new master key',
		run: withVault(rotateMasterKey),
	},
	{
		usage: 'master-key retire <id>',
		help: 'Take an old master key out, once nothing needs it',
		run: withVault(retireMasterKey),
	},
];

const IF_IT_LEAKED = `
If an old key leaked, a new one ends sessions and codes that were made with it, but not what was copied.
With the key, and a copy of the database and the files from its time, these containers can be read for ever:
  1. Retire the old key, so that nothing here takes it any more.
  2. Encrypt what must stay secret into new containers, and delete the old ones.
  3. Look for users and API keys that nobody knows ("keys list"), and revoke them.`;

/** Seals every container again. No key is lost: other processes still seal with it, and backups can need it. */
async function rotateMasterKey({ vault, config }: VaultInvocation) {
	const { outsideKeys } = config;
	if (outsideKeys && listOldKeys(vault).length === 0) {
		throw new SettingError(describeRotation(config));
	}
	if (!outsideKeys) {
		const file = getMasterKeyFile(config);
		// A transaction keeps two rotations from writing at the same time.
		await vault.database.transaction().execute(async () => {
			const keys = `${createMasterKey()}\n${readFileSync(file, 'utf8')}`;
			writeWhole(file, keys, { mode: 0o600 });
		});
	}
	const { count, problems } = await resealContainers(vault);
	problems.push(...(await resignRequests(vault)));
	await recordRotation(vault);
	const lines = [
		`${describeCount(count)} sealed with the new master key.`,
		'Sessions and codes from before have ended: whoever was inside signs in again.',
	];
	for (const id of listOldKeys(vault)) {
		lines.push(
			`Backups from before need the old key ${id}: "master-key retire ${id}" takes it out.`,
		);
	}
	return { problems, lines: [...lines, IF_IT_LEAKED] };
}

/** In the trails of all admins. Those of other users come under the new key, too. */
async function recordRotation(vault: Vault): Promise<void> {
	const detail = { master_key: vault.keys.current().id };
	await transact(vault, async (queries, record) => {
		await anchorTrails(queries, vault.keys);
		for (const ownerId of await listAdmins(queries)) {
			await record({ action: 'master_key.rotate', ownerId, user: '', detail });
		}
	});
}

/** The IDs of all keys but the one that seals. The same key can be at two places, such as the data folder and a setting. */
function listOldKeys({ keys }: Vault): string[] {
	const ids = new Set(keys.all().map(({ id }) => id));
	ids.delete(keys.current().id);
	return [...ids];
}

/** How to bring a new key from outside the data folder. */
function describeRotation(config: Config): string {
	return `There is no new master key. ${describeChange(config)} Stop all processes and start them again, so that each of them has both, and then run "master-key rotate".`;
}

function describeChange({ masterKey, masterKeyFile }: Config): string {
	if (masterKey) return 'Set MASTER_KEY_PREVIOUS to the old key, and MASTER_KEY to a new one.';
	return masterKeyFile
		? 'Put a new key on a line before the old one into the file of MASTER_KEY_FILE.'
		: 'Let MASTER_KEY_COMMAND print a new key on a line before the old one.';
}

/** Takes an old key out of the file, or says where it has to be taken out. @throws SettingError while something needs it */
async function retireMasterKey({ vault, config, args: [id] }: VaultInvocation) {
	const { database, keys } = vault;
	if (id === keys.current().id) {
		const message = `The master key ${id} is the current one. Run "master-key rotate" first.`;
		throw new SettingError(message);
	}
	if (keys.find(id) === undefined) {
		throw new SettingError(`There is no old master key with the ID ${id}.`);
	}
	// In SQLite, no other process seals meanwhile.
	const isRemoved = await database.transaction().execute(async (queries) => {
		const count = await countSealed(queries, id);
		if (count > 0) {
			const message = `The master key ${id} still seals ${describeCount(count)}. Run "master-key rotate" first.`;
			throw new SettingError(message);
		}
		if (await hasSignedRequest(queries, id)) {
			throw new SettingError(
				`The master key ${id} still signs a request for files. Run "master-key rotate" first.`,
			);
		}
		await anchorTrails(queries, keys);
		return removeFromFile(getMasterKeyFile(config), id);
	});
	return { lines: describeRetired(config, id, isRemoved) };
}

async function countSealed(queries: Queries, id: string): Promise<number> {
	const sealed = queries.selectFrom('containers').where('master_key_id', '=', id);
	const count = sealed.select((select) => select.fn.countAll().as('count'));
	return Number((await count.executeTakeFirstOrThrow()).count);
}

async function hasSignedRequest(queries: Queries, id: string): Promise<boolean> {
	const signed = queries.selectFrom('requests').select('id').where('mac', 'like', `${id}:%`);
	return (await signed.executeTakeFirst()) !== undefined;
}

/** @returns whether the file had the key. A file without a key is removed. */
function removeFromFile(file: string, id: string): boolean {
	const lines = attempt(() => readFileSync(file, 'utf8').split('\n')) ?? [];
	const kept = lines.filter((line) => line.trim() && parseMasterKey(line.trim())?.id !== id);
	if (kept.length === lines.filter((line) => line.trim()).length) return false;
	if (kept.length === 0) rmSync(file);
	else writeWhole(file, `${kept.join('\n')}\n`, { mode: 0o600 });
	return true;
}

function describeRetired(config: Config, id: string, isRemoved: boolean): string[] {
	const lines: string[] = [];
	if (isRemoved) {
		const file = getMasterKeyFile(config);
		lines.push(
			`The master key ${id} is no longer in ${file}. Backups from its time need a copy of it.`,
		);
	}
	const isOutside = config.outsideKeys?.keys.some((key) => parseMasterKey(key)?.id === id);
	if (isOutside) {
		lines.push(
			`Nothing needs the master key ${id} any more: take it out of ${config.outsideKeys?.setting}, and start the service again.`,
		);
	}
	const previous = parseMasterKey(config.previousMasterKey ?? '');
	if (previous?.id === id) {
		lines.push(
			`Nothing needs the master key ${id} any more: empty MASTER_KEY_PREVIOUS, and start the service again.`,
		);
	}
	return lines;
}
