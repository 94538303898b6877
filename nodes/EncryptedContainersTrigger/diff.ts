import type { IDataObject } from 'n8n-workflow';

import { takeBreak } from '../shared/client/takeBreak';
import type { KnownRecord, PollState } from './pollState';
import type { Reading, Snapshot } from './reading';
import { getKey } from './reading';
import type { TriggerEvent } from './types';

/** What a poll found: the items to emit, and what to save. */
export interface Difference {
	items: IDataObject[];
	/** What the list does not contain any more. It stays in the state until it is certain that it was deleted. */
	missing: KnownRecord[];
	/** What to save of everything else. */
	known: KnownRecord[];
}

/**
 * Compares what a poll has read with what the last one saved. Depends on its arguments only: not on the order of the
 * list, on timestamps, or on the number of calls.
 *
 * @param includeExisting whether to emit what the first poll finds
 */
export async function compare(
	event: TriggerEvent,
	state: PollState | undefined,
	{ listed, snapshots, unread }: Reading,
	includeExisting: boolean,
): Promise<Difference> {
	const before = new Map(state?.known.map((record) => [getKey(event.list, record.id), record]));
	const items: IDataObject[] = [];
	const known: KnownRecord[] = [];
	for (const snapshot of snapshots) {
		await takeBreak();
		const { id, content } = snapshot;
		if (content === undefined) continue;
		known.push({ id, content });
		const last = before.get(getKey(event.list, id))?.content;
		const isNew =
			last === undefined && isFirstReading(state, id)
				? includeExisting && event.toDeletedItem === undefined
				: event.isEvent(last, content);
		if (isNew) items.push(snapshot.toItem(last));
	}
	const missing: KnownRecord[] = [];
	for (const [key, record] of before) {
		if (!listed.has(key)) missing.push(record);
		else if (unread.has(key)) known.push(record);
	}
	return { items, missing, known };
}

/** Whether the record existed before anything was saved of it: at the first poll, or later where that ran out of time. */
function isFirstReading(state: PollState | undefined, id: Snapshot['id']): boolean {
	if (state === undefined) return true;
	return state.isFirstRound && (state.readUntil === undefined || id > state.readUntil);
}
