import type { IDataObject } from 'n8n-workflow';

import { takeBreak } from '../shared/client/delay';
import { NOT_READ, type Known, type PollState } from './pollState';
import type { ListEvent, Reading } from './types';

/** Compares what a poll read with what the last one saved. @returns the items to emit, and what to save */
export async function compare(
	event: ListEvent,
	state: PollState | undefined,
	{ listed, contents, unread }: Reading,
	includeExisting: boolean,
) {
	const items: IDataObject[] = [];
	const known: Known = new Map();
	for (const [key, found] of contents) {
		if (found === undefined) continue;
		const { content, isSilent, toItem } = found;
		known.set(key, content);
		const saved = state === undefined ? NOT_READ : state.known.get(key);
		const last = saved === NOT_READ ? undefined : saved;
		const isNew = saved === NOT_READ ? includeExisting : event.isEvent?.(last, content);
		if (event.isEvent && isNew && !isSilent) items.push(toItem(last));
		await takeBreak();
	}
	for (const key of unread) {
		const content = state === undefined ? NOT_READ : state.known.get(key);
		if (content !== undefined) known.set(key, content);
	}
	for (const [key, content] of state?.known ?? []) {
		if (event.toDeletedItem && !listed.has(key)) items.push(event.toDeletedItem(content));
	}
	return { items, known };
}
