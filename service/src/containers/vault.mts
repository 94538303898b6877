import type { EventWatch } from '../database/eventWatch.mts';
import { forgetDeleted } from '../database/forget.mts';
import * as rows from '../database/queries.mts';
import type { ContainerRow, Queries } from '../database/schema.mts';
import { assertValid, notFound, ServiceError } from '../errors.mts';
import type { Storage } from '../storage/storage.mts';
import { getEncryptedSize } from './ageFile.mts';
import { isShownAlone, type Shows } from './fileKinds.mts';
import { findChangedRules, findEndedDay, findRuleProblems, mergeRules } from './rules.mts';
import type { DrmRules, RulesChange } from './rules.mts';
import { hashObject } from './hashObject.mts';
import { openSeal, type StoredFile } from './seal.mts';
import { updateSealed } from './sealedRows.mts';
import { transact, type NewEvent, type RecordEvent, type Recorder } from './trail.mts';

export type Vault = Recorder & {
	/** What is new in the database, also by other processes. */
	events: EventWatch;
	storage: Storage;
};
type Actor = { user: string; ip?: string };
type Deletion = { record: RecordEvent } & Pick<NewEvent, 'user' | 'detail'>;

export function toContainerRecord(row: ContainerRow, publicUrl: string) {
	const { id, name, owner_id, created_date, updated_date, size, file_count } = row;
	const url = `${publicUrl}/c/${id}`;
	return { uuid: id, name, owner_id, created_date, updated_date, size, file_count, url };
}

/** What of the service is in what it says about a container. */
export type Described = Shows & { publicUrl: string };

export function toEnvelope(row: ContainerRow, described: Described) {
	const record = toContainerRecord(row, described.publicUrl);
	const container = { ...record, files: describeFiles(row, described) };
	return { org_id: row.owner_id, container };
}

export function toContainerDetails(row: ContainerRow, described: Described) {
	const record = toContainerRecord(row, described.publicUrl);
	const { opens_used, held_date, request_id, sender } = row;
	const origin = request_id === null ? {} : { request_id, sender };
	const on_hold = held_date !== null;
	return { ...record, files: describeFiles(row, described), opens_used, on_hold, ...origin };
}

function describeFiles({ files }: ContainerRow, shows: Shows) {
	return (JSON.parse(files) as StoredFile[]).map((file) => {
		const { name, type, size, sha256 } = file;
		return { name, type, size, sha256, viewable: isShownAlone(file, shows) };
	});
}

interface ChangedRules {
	rules: DrmRules;
	revision: number;
}

interface RulesActor extends Actor {
	today: string;
	/** Called in the transaction of the change. */
	onChanged?: (queries: Queries, changed: ChangedRules) => Promise<void>;
}

type DecideChange = (before: DrmRules, revision: number) => RulesChange;

/** Changes the rules of a container under a new seal. The password isn't needed: the secret stays encrypted with it. */
export async function changeRules(vault: Vault, id: string, by: RulesActor, decide: DecideChange) {
	return await transact(vault, async (queries, record) => {
		const row = await rows.findContainerForUpdate(queries, id);
		if (row === undefined) throw notFound('container');
		const { keys } = vault;
		const changed = await storeRules({ queries, record, keys, row, by }, decide);
		await by.onChanged?.(queries, changed);
		return changed;
	});
}

interface RulesTransaction {
	queries: Queries;
	record: RecordEvent;
	keys: Vault['keys'];
	row: ContainerRow;
	by: RulesActor;
}

async function storeRules(
	{ queries, record, keys, row, by }: RulesTransaction,
	decide: DecideChange,
): Promise<ChangedRules> {
	const { user, ip, today } = by;
	const opened = openSeal(keys, row);
	if (!opened.rules.dynamic) {
		throw new ServiceError(409, 'rules_fixed', "The rules of this container can't be changed.");
	}
	const sent = decide(opened.rules, row.revision);
	assertValid(findRuleProblems(sent));
	const rules = mergeRules(opened.rules, sent);
	const changed = findChangedRules(opened.rules, rules);
	if (changed.length === 0) return { rules, revision: row.revision };
	const revision = row.revision + 1;
	const ended_day = findEndedDay(row.ended_day, { before: opened.rules, after: rules, today });
	const columns = { revision, ended_day, updated_date: new Date().toISOString() };
	await updateSealed({ queries, keys }, row, { ...opened, rules }, columns);
	const about = { ownerId: row.owner_id, container: row, user };
	await record({ ...about, action: 'drm.update', detail: { ip, changed } });
	return { rules, revision };
}

/** Gives a seal of version 1 the hash that it doesn't have; nothing happens to others. */
export async function renewSeal(vault: Vault, id: string): Promise<void> {
	const { database, keys } = vault;
	const row = await rows.findContainer(database, id);
	if (row === undefined || openSeal(keys, row).objectSha256 !== undefined) return;
	const objectSha256 = await hashObject(vault, row.object, getEncryptedSize(row.size));
	await database.transaction().execute(async (queries) => {
		const current = await rows.findContainerForUpdate(queries, id);
		if (current === undefined) return;
		const renewed = { ...openSeal(keys, current), objectSha256 };
		await updateSealed({ queries, keys }, current, renewed);
	});
}

/** Deletes a container: first its key, then its file. @throws ServiceError 404, 409 */
export async function destroyContainer(vault: Vault, id: string, { user, ip }: Actor) {
	const container = await transact(vault, async (queries, record) => {
		const row = await rows.findContainerForUpdate(queries, id);
		if (row === undefined) throw notFound('container');
		if (row.held_date !== null) {
			const message = "This container is on hold: it can't be deleted before the hold ends.";
			throw new ServiceError(409, 'on_hold', message);
		}
		await destroyKey(queries, row, { record, user, detail: { ip } });
		return row;
	});
	await forgetDeleted(vault.database);
	await removeFile(vault, container);
}

/** Nobody can read the file from here on. */
export async function destroyKey(
	queries: Queries,
	container: ContainerRow,
	{ record, user, detail }: Deletion,
): Promise<void> {
	await rows.deleteContainer(queries, container.id);
	const about = { ownerId: container.owner_id, container, user, detail };
	await record({ ...about, action: 'container.delete' });
}

/** One that stays is removed after a day. */
export async function removeFile(
	{ storage }: Vault,
	{ object }: Pick<ContainerRow, 'object'>,
): Promise<void> {
	await storage.remove(object).catch(() => undefined);
}

export async function resealContainers({ database, keys }: Vault) {
	const problems: string[] = [];
	let count = 0;
	for await (const { id } of rows.readAllContainers(database)) {
		const reseal = database.transaction().execute(async (queries) => {
			const row = await rows.findContainerForUpdate(queries, id);
			if (row === undefined || row.master_key_id === keys.current().id) return;
			await updateSealed({ queries, keys }, row, openSeal(keys, row));
			count += 1;
		});
		await reseal.catch(({ message }: Error) => problems.push(message));
	}
	return { count, problems };
}
