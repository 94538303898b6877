import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { forgetDeleted } from '../database/forget.mts';
import { DAY_MS } from '../database/limits.mts';
import * as rows from '../database/queries.mts';
import type { ContainerRow, Database } from '../database/schema.mts';
import { attempt } from '../errors.mts';
import { destroyKey, removeFile } from './destroyContainer.mts';
import type { DrmRules } from './rules.mts';
import { openSeal } from './seal.mts';
import { transact } from './trail.mts';
import type { Vault } from './vault.mts';

const BATCH = 100;

export interface Retention {
	calendar: Intl.DateTimeFormat;
	afterDays: number;
}

/** @returns the first day that isn't so many days ago */
export function findCutoffDay({ calendar, afterDays }: Retention): string {
	const today = calendar.format(new Date());
	return new Date(Date.parse(today) - afterDays * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Deletes the containers to which access ended so many days ago. Other processes can do it at the same time.
 * @param onError gets what keeps one of them, such as a seal that is broken. The others are deleted
 */
export async function deleteExpiredContainers(
	vault: Vault,
	retention: Retention,
	onError: (error: Error) => void,
) {
	const before = findCutoffDay(retention);
	const found = { deleted: 0, onHold: [] as string[] };
	for await (const batch of readEnds(vault.database)) {
		const ended = batch.filter(({ end }) => end !== undefined && end < before);
		const deleted: ContainerRow[] = [];
		for (const { id, held_date } of ended) {
			if (held_date !== null) {
				found.onHold.push(id);
				continue;
			}
			const row = await deleteContainerIfExpired(vault, id, before).catch(onError);
			if (row) deleted.push(row);
		}
		found.deleted += deleted.length;
		if (deleted.length > 0) await forgetDeleted(vault.database);
		for (const row of deleted) await removeFile(vault, row);
	}
	return found;
}

/** @returns what was deleted; nothing where another process was first, or access or hold changed meanwhile */
async function deleteContainerIfExpired(vault: Vault, id: string, before: string) {
	return await transact(vault, async (queries, record) => {
		const row = await rows.findContainerForUpdate(queries, id);
		if (row === undefined || row.held_date !== null) return undefined;
		// Only what is sealed counts.
		const { time } = openSeal(vault.keys, row).rules;
		if (time?.end === undefined || time.end >= before) return undefined;
		await destroyKey(queries, row, { record, user: '', detail: { reason: 'retention' } });
		return row;
	});
}

/** Lets others come in between: a query of SQLite blocks the process. */
async function* readEnds(database: Database) {
	for (let last = 0; ;) {
		const columns = ['seq', 'id', 'rules', 'held_date'] as const;
		const query = database.selectFrom('containers').select(columns).where('seq', '>', last);
		const batch = await query.orderBy('seq').limit(BATCH).execute();
		if (batch.length === 0) return;
		last = batch.at(-1)!.seq;
		yield batch.map(({ id, rules, held_date }) => ({ id, held_date, end: readEndDay(rules) }));
		await yieldToOthers();
	}
}

const readEndDay = (rules: string) => attempt(() => (JSON.parse(rules) as DrmRules).time?.end);
