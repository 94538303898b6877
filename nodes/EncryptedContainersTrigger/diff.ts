import type { IDataObject } from 'n8n-workflow';

import { takeBreak } from '../shared/client/delay';
import type { Reading } from './fetch';
import { NOT_READ, type Known, type PollState } from './pollState';
import type { TriggerEvent } from './types';

/** @returns the items to emit, what the list does not contain any more, and what to save of everything else */
export async function compare(
	event: TriggerEvent,
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
	const missing: Known = new Map([...(state?.known ?? [])].filter(([key]) => !listed.has(key)));
	return { items, missing, known };
}
