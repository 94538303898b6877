import type { IDataObject } from 'n8n-workflow';

import { sortNewestFirst } from '../shared/api/creation';
import { CONTACT_LIST, fetchEntries } from '../shared/api/lists';
import { toContainerKey } from '../shared/api/records';
import { takeBreak } from '../shared/client/delay';
import { toAddressKey } from '../shared/parameters/addresses';
import { matchesName } from '../shared/parameters/wildcards';
import type { Poll } from './createPoll';
import { hash, NOT_READ, type PollState } from './pollState';
import { readRules, type Contents } from './readRules';
import type { ListEvent, WatchedEntry } from './types';

interface Reading {
	/** Of everything in the list, in its order. */
	keys: Set<string>;
	/** Of what was read of it. */
	contents: Contents;
	includeExisting: boolean;
}

/** @returns what differs from the list of the last poll; for a sample all that there is, the newest first */
export async function pollList(poll: Poll, event: ListEvent) {
	const { parameters, isSample, state } = poll;
	const entries = await fetchWatched(poll, event);
	const { contents, readUntil } = event.readsRules
		? await readRules(poll, event, entries)
		: await toContents(poll, event, entries);
	if (isSample) {
		const items = entries.map(({ key }) => contents.get(key)?.toItem?.());
		return { items: items.filter((item) => item !== undefined), state: { known: {} } };
	}
	const keys = new Set(entries.map(({ key }) => key));
	const { includeExisting } = parameters;
	const { items, known } = compare(event, state, { keys, contents, includeExisting });
	return { items, state: { known, readUntil } };
}

export function compare(event: ListEvent, state: PollState | undefined, reading: Reading) {
	const { keys, contents, includeExisting } = reading;
	const items: IDataObject[] = [];
	const known: PollState['known'] = {};
	for (const key of keys) {
		const saved: string | undefined = state === undefined ? NOT_READ : state.known[key];
		const found = contents.get(key);
		const content = contents.has(key) ? found?.content : saved;
		if (content !== undefined) known[key] = content;
		if (found?.toItem === undefined || event.isEvent === undefined) continue;
		const last = saved === NOT_READ ? undefined : saved;
		const isNew = saved === NOT_READ ? includeExisting : event.isEvent(last, found.content);
		if (isNew) items.push(found.toItem(last));
	}
	if (event.isEvent !== undefined) return { items, known };
	const deleted = Object.entries(state?.known ?? {}).filter(([key]) => !keys.has(key));
	return { items: deleted.map(([, content]) => JSON.parse(content) as IDataObject), known };
}

/** The same for all spellings of an address or UUID, which a service can change. */
export function getKey({ list }: ListEvent, id: string): string {
	return hash(list === CONTACT_LIST ? toAddressKey(id) : toContainerKey(id));
}

async function fetchWatched(poll: Poll, event: ListEvent): Promise<WatchedEntry[]> {
	const { client, userId, parameters, isSample } = poll;
	const { query, nameContains } = parameters;
	const entries = await fetchEntries(client, event.list, userId, { query });
	// Before anything is shortened or saved: half an API key can't be recognized any more.
	await client.redact(entries.map(({ record }) => record));
	const watched = entries
		.filter(({ name }) => matchesName(name, nameContains))
		.map((entry) => ({ ...entry, key: getKey(event, entry.id) }));
	return isSample ? sortNewestFirst(watched, ({ record }) => record) : watched;
}

async function toContents({ parameters }: Poll, event: ListEvent, entries: WatchedEntry[]) {
	const contents: Contents = new Map();
	for (const entry of entries) {
		contents.set(entry.key, event.toContent(entry, parameters));
		await takeBreak();
	}
	return { contents, readUntil: undefined };
}
