import { findRequest, findRequestForUpdate, readAllRequests } from '../database/fileRequests.mts';
import { forgetDeleted } from '../database/forget.mts';
import { findCutoffDay, type Retention } from '../containers/retention.mts';
import { transact } from '../containers/trail.mts';
import type { Vault } from '../containers/vault.mts';
import type { Database } from '../database/schema.mts';
import { changeRequest, DEFAULTS, openRequest } from './request.mts';
import { readRequestSettings, removeRequest } from './request.mts';

/** Signs all requests with the current master key. @returns what keeps some of them */
export async function resignRequests({ database, keys }: Vault): Promise<string[]> {
	const problems: string[] = [];
	for await (const { id, mac } of readAllRequests(database)) {
		if (mac.startsWith(`${keys.current().id}:`)) continue;
		const resign = database.transaction().execute(async (queries) => {
			const row = await findRequestForUpdate(queries, id);
			if (row !== undefined) await changeRequest(queries, keys, row);
		});
		await resign.catch(({ message }: Error) => problems.push(message));
	}
	return problems;
}

/** @returns for each request that isn't what the service wrote, why it can't be used */
export async function inspectRequests({ database, keys }: Vault): Promise<string[]> {
	const problems: string[] = [];
	for await (const row of readAllRequests(database)) {
		try {
			openRequest(keys, row);
		} catch (error) {
			// It can have been deleted or signed anew since.
			const now = await findRequest(database, row.id);
			if (now?.mac === row.mac) problems.push((error as Error).message);
		}
	}
	return problems;
}

/**
 * Deletes the requests that ended so many days ago. What came stays as long as its own rules say.
 * @param onError gets what keeps one of them. The others are deleted
 */
export async function deleteExpiredRequests(
	vault: Vault,
	retention: Retention,
	onError: (error: Error) => void,
): Promise<number> {
	const before = findCutoffDay(retention);
	let deleted = 0;
	for await (const row of readAllRequests(vault.database)) {
		const end = readRequestSettings(row).time?.end;
		if (end === undefined || end >= before) continue;
		if (await deleteRequestIfExpired(vault, row.id, before).catch(onError)) deleted += 1;
	}
	if (deleted > 0) await forgetDeleted(vault.database);
	return deleted;
}

async function deleteRequestIfExpired(vault: Vault, id: string, before: string): Promise<boolean> {
	return await transact(vault, async (queries, record) => {
		const row = await findRequestForUpdate(queries, id);
		if (row === undefined) return false;
		// Only what is signed counts.
		const { time } = openRequest(vault.keys, row).settings;
		if (time?.end === undefined || time.end >= before) return false;
		await removeRequest(queries, row, { record, user: '', detail: { reason: 'retention' } });
		return true;
	});
}

/** How many bytes a file that comes can have: by the requests that are there, or by default. */
export async function findLargestDelivery(database: Database): Promise<number> {
	let largest = DEFAULTS.max_bytes;
	for await (const row of readAllRequests(database)) {
		largest = Math.max(largest, readRequestSettings(row).max_bytes ?? 0);
	}
	return largest;
}
