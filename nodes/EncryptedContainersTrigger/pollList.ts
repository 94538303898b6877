import type { IDataObject } from 'n8n-workflow';

import { sortNewestFirst } from '../shared/api/creation';
import { CONTACT_LIST, fetchEntries } from '../shared/api/lists';
import { toContainerKey } from '../shared/api/records';
import { takeBreak } from '../shared/client/delay';
import { toAddressKey } from '../shared/parameters/addresses';
import { matchesName } from '../shared/parameters/wildcards';
import type { Poll } from './createPoll';
import { hash, NOT_READ, type Known, type PollState } from './pollState';
import { readRules, type Contents } from './readRules';
import type { ListEvent, WatchedEntry } from './types';

/** 72 bits: no two records have the same. */
const KEY_LENGTH = 12;

/** Compares a list with that of the last poll. @returns the items to emit, and what to save */
export async function pollList(poll: Poll, event: ListEvent) {
	const entries = await fetchWatched(poll, event);
	const { contents, readUntil } = await readContents(poll, event, entries);
	const keys = new Set(entries.map(({ key }) => key));
	const { includeExisting } = poll.parameters;
	const { items, known } = await compare(event, poll.state, { keys, contents, includeExisting });
	return { items, state: { known, readUntil } };
}

/** The newest records first. */
export async function fetchListSample(poll: Poll, event: ListEvent): Promise<IDataObject[]> {
	const entries = sortNewestFirst(await fetchWatched(poll, event), ({ record }) => record);
	const { contents } = await readContents(poll, event, entries);
	const items = entries.map(({ key }) => contents.get(key)?.toItem?.());
	return items.filter((item) => item !== undefined);
}

/** `keys`: of everything in the list, in its order. `contents`: of what was read of it. */
export async function compare(
	event: ListEvent,
	state: PollState | undefined,
	read: { keys: Set<string>; contents: Contents; includeExisting: boolean },
) {
	const { keys, contents, includeExisting } = read;
	const items: IDataObject[] = [];
	const known: Known = new Map();
	for (const key of keys) {
		const saved = state === undefined ? NOT_READ : state.known.get(key);
		const found = contents.get(key);
		const content = contents.has(key) ? found?.content : saved;
		if (content !== undefined) known.set(key, content);
		if (found?.toItem === undefined || event.isEvent === undefined) continue;
		const last = saved === NOT_READ ? undefined : saved;
		const isNew = saved === NOT_READ ? includeExisting : event.isEvent(last, found.content);
		if (isNew) items.push(found.toItem(last));
		await takeBreak();
	}
	if (event.isEvent !== undefined) return { items, known };
	for (const [key, content] of state?.known ?? []) {
		if (!keys.has(key)) items.push(JSON.parse(content) as IDataObject);
	}
	return { items, known };
}

/** The same for all spellings of an address or UUID, which a service can change. */
export function getKey({ list }: ListEvent, id: string): string {
	return hash(list === CONTACT_LIST ? toAddressKey(id) : toContainerKey(id), KEY_LENGTH);
}

async function fetchWatched(poll: Poll, event: ListEvent): Promise<WatchedEntry[]> {
	const { client, userId, parameters } = poll;
	const { query, nameContains } = parameters;
	const entries = await fetchEntries(client, event.list, userId, { query });
	// Before anything is shortened or saved: half an API key can't be recognized any more.
	await client.redact(entries.map(({ record }) => record));
	const watched: WatchedEntry[] = [];
	for (const entry of entries.filter(({ name }) => matchesName(name, nameContains))) {
		watched.push({ ...entry, key: getKey(event, entry.id) });
		await takeBreak();
	}
	return watched;
}

async function readContents(
	poll: Poll,
	event: ListEvent,
	entries: WatchedEntry[],
): Promise<{ contents: Contents; readUntil?: string }> {
	if (event.readsRules) return await readRules(poll, event, entries);
	const contents: Contents = new Map();
	for (const entry of entries) {
		contents.set(entry.key, event.toContent(entry, poll.parameters));
		await takeBreak();
	}
	return { contents };
}
