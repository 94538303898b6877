import * as rows from '../database/queries.mts';
import type { ContainerRow, Database } from '../database/schema.mts';
import { assertValid, attempt, notFound, ServiceError } from '../errors.mts';
import type { Storage } from '../storage/storage.mts';
import { getEncryptedSize } from './ageFile.mts';
import { findChangedRules, findRuleProblems, mergeRules } from './rules.mts';
import type { DrmRules, RulesChange } from './rules.mts';
import { openSeal, seal, type MasterKeys, type StoredFile } from './seal.mts';

export type Vault = { database: Database; storage: Storage; keys: MasterKeys };
type Actor = { user: string; ip?: string };

export function toContainerRecord(row: ContainerRow, publicUrl: string) {
	const { id, name, owner_id, created_date, updated_date, size, file_count } = row;
	const url = `${publicUrl}/c/${id}`;
	return { uuid: id, name, owner_id, created_date, updated_date, size, file_count, url };
}

export function toEnvelope(row: ContainerRow, publicUrl: string) {
	return { org_id: row.owner_id, container: toContainerRecord(row, publicUrl) };
}

export function toContainerDetails(row: ContainerRow, publicUrl: string) {
	const pick = ({ name, type, size, sha256 }: StoredFile) => ({ name, type, size, sha256 });
	const files = (JSON.parse(row.files) as StoredFile[]).map(pick);
	return { ...toContainerRecord(row, publicUrl), files, opens_used: row.opens_used };
}

/** Changes the rules of a container under a new seal. The password isn't needed: it locks the secret inside. */
export async function changeRules(
	{ database, keys }: Vault,
	id: string,
	{ user, ip }: Actor,
	change: (before: DrmRules, revision: number) => RulesChange,
) {
	return await database.transaction().execute(async (queries) => {
		const row = await rows.lockContainer(queries, id);
		if (row === undefined) throw notFound('container');
		const opened = openSeal(keys, row);
		if (!opened.rules.dynamic) {
			throw new ServiceError(409, 'rules_fixed', "The rules of this container can't be changed.");
		}
		const sent = change(opened.rules, row.revision);
		assertValid(findRuleProblems(sent));
		const rules = mergeRules(opened.rules, sent);
		const changed = findChangedRules(opened.rules, rules);
		if (changed.length === 0) return { rules, revision: row.revision };
		const revision = row.revision + 1;
		const columns = { ...seal(keys, row, { ...opened, rules }), revision };
		await rows.updateContainer(queries, id, { ...columns, updated_date: new Date().toISOString() });
		const event = { action: 'drm.update', container: row, user, detail: { ip, changed } } as const;
		await rows.addEvent(queries, event);
		return { rules, revision };
	});
}

/** Deletes a container: first its key, then its file. @throws ServiceError 404 */
export async function destroyContainer({ database, storage }: Vault, id: string, by: Actor) {
	const { object } = await database.transaction().execute(async (queries) => {
		const container = await rows.deleteContainer(queries, id);
		if (container === undefined) throw notFound('container');
		const event = { action: 'container.delete', container, user: by.user } as const;
		await rows.addEvent(queries, { ...event, detail: { ip: by.ip } });
		return container;
	});
	await rows.forgetDeleted(database);
	// A file that stays is removed after a day. Nobody can read it.
	await storage.remove(object).catch(() => undefined);
}

export async function resealContainers({ database, keys }: Vault) {
	const problems: string[] = [];
	let count = 0;
	for await (const { id } of rows.readAllContainers(database)) {
		const reseal = database.transaction().execute(async (queries) => {
			const row = await rows.lockContainer(queries, id);
			if (row === undefined || row.master_key_id === keys.current().id) return;
			await rows.updateContainer(queries, id, seal(keys, row, openSeal(keys, row)));
			count += 1;
		});
		await reseal.catch(({ message }: Error) => problems.push(message));
	}
	return { count, problems };
}

export async function inspectContainers({ database, storage, keys }: Vault) {
	const files = new Map<string, { id: string; size: number; problem: string }>();
	const problems: string[] = [];
	let count = 0;
	const report = (id: string, problem: string) =>
		problems.push(`Container ${id} can't be opened: ${problem}.`);
	for await (const row of rows.readAllContainers(database)) {
		count += 1;
		const size = getEncryptedSize(row.size);
		const problem = `its file ${row.object} is missing`;
		if (attempt(() => openSeal(keys, row))) files.set(row.object, { id: row.id, size, problem });
		else report(row.id, 'its rules, owner or files were changed outside of the service');
	}
	for await (const { name, size } of storage.list()) {
		const file = files.get(name);
		if (file?.size === size) files.delete(name);
		else if (file) file.problem = `its file ${name} has ${size} bytes instead of ${file.size}`;
	}
	for (const { id, problem } of files.values()) {
		// It can have been deleted since.
		if (await rows.findContainer(database, id)) report(id, problem);
	}
	return { count, problems };
}
