import type { IDataObject } from 'n8n-workflow';

import { takeBreak } from '../shared/client/delay';
import type { PollState } from './pollState';
import { NOT_READ } from './pollState';
import type { Reading } from './reading';
import { getKey } from './reading';
import type { TriggerEvent } from './types';

/** What a poll found: the items to emit, and what to save. */
export interface Difference {
	items: IDataObject[];
	/** What the list does not contain any more. It stays in the state until it is certain that it was deleted. */
	missing: PollState['known'];
	/** What to save of everything else. */
	known: PollState['known'];
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
	{ listed, snapshots, unread }: Reading,
	includeExisting: boolean,
): Promise<Difference> {
	const keepsId = event.toDeletedItem !== undefined;
	const before = new Map<string, string>();
	const missing = new Map<string, string>();
	for (const [saved, content] of state?.known ?? []) {
		const key = keepsId ? getKey(event, saved) : saved;
		if (listed.has(key)) before.set(key, content);
		else missing.set(saved, content);
		await takeBreak();
	}
	const items: IDataObject[] = [];
	const known = new Map<string, string>();
	for (const { key, content, isSilent, toItem } of snapshots) {
		known.set((keepsId ? listed.get(key) : undefined) ?? key, content);
		const saved = before.get(key);
		const isFirstReading = state === undefined || saved === NOT_READ;
		const last = isFirstReading ? undefined : saved;
		const isNew = isFirstReading ? includeExisting : event.isEvent?.(last, content);
		if (event.isEvent && isNew && !isSilent) items.push(toItem(last));
		await takeBreak();
	}
	for (const key of unread) {
		const content = before.get(key) ?? (state === undefined ? NOT_READ : undefined);
		if (content !== undefined) known.set(key, content);
	}
	return { items, missing, known };
}
