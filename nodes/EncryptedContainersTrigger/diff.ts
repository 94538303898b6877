import type { IDataObject } from 'n8n-workflow';

import { takeBreak } from '../shared/client/takeBreak';
import type { KnownRecord, PollState } from './pollState';
import { NOT_READ } from './pollState';
import type { Reading } from './reading';
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
 * @param includeExisting whether to emit what exists at the first poll
 */
export async function compare(
	event: TriggerEvent,
	state: PollState | undefined,
	{ listed, snapshots, unread, postponed }: Reading,
	includeExisting: boolean,
): Promise<Difference> {
	const before = new Map(state?.known.map((record) => [getKey(event.list, record.id), record]));
	const items: IDataObject[] = [];
	const known: KnownRecord[] = [];
	for (const snapshot of snapshots) {
		await takeBreak();
		const { id, content } = snapshot;
		known.push({ id, content });
		const saved = before.get(getKey(event.list, id))?.content;
		const isFirstReading = state === undefined || saved === NOT_READ;
		const last = isFirstReading ? undefined : saved;
		const isNew = isFirstReading ? includeExisting : event.isEvent?.(last, content);
		if (event.isEvent && isNew) items.push(snapshot.toItem(last));
	}
	const missing: KnownRecord[] = [];
	for (const [key, record] of before) {
		if (!listed.has(key)) missing.push(record);
		else if (unread.has(key)) known.push(record);
	}
	if (state !== undefined) return { items, missing, known };
	const unknown = postponed.map((id) => ({ id, content: NOT_READ }));
	return { items, missing, known: [...known, ...unknown] };
}
