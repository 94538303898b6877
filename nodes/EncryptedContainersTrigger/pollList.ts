import type { IDataObject } from 'n8n-workflow';

import { fetchRules } from '../shared/api/drmRules';
import { CONTACT_LIST, fetchEntries } from '../shared/api/lists';
import { matchesName, sortNewestFirst, toContainerKey } from '../shared/api/records';
import { isNotFound } from '../shared/errors/errors';
import { toAddressKey } from '../shared/parameters/addresses';
import { listSome } from '../shared/parameters/values';
import { takeBreak } from '../shared/responses/takeBreak';
import type { Poll, PollState } from './createPoll';
import { hash, type Content, type ListEvent, type WatchedEntry } from './events';

/** In place of the content of a record that the first poll could not read. No content looks like it. */
const NOT_READ = '?';

/** Containers whose rules a test reads: a person waits for it. */
const MAX_SAMPLE_RULES = 50;

interface Reading {
	/** Of everything in the list, in its order. */
	keys: Set<string>;
	/** Of what was read of it, by key; undefined for what the event is not about. */
	contents: Map<string, Content | undefined>;
	includeExisting: boolean;
}

/** @returns what differs from the list of the last poll; for a sample all that there is, the newest first */
export async function pollList(poll: Poll, event: ListEvent) {
	const { client, userId, parameters, isSample, state } = poll;
	const { query, nameContains, includeExisting } = parameters;
	const entries = await fetchEntries(client, event.list, userId, { query });
	// Before anything is shortened or saved: half an API key can't be recognized any more.
	await client.redactor.redactJson(entries.map(({ record }) => record));
	const watched = (isSample ? sortNewestFirst(entries) : entries)
		.filter(({ name }) => matchesName(name, nameContains))
		.map((entry) => ({ ...entry, key: getKey(event, entry.id) }));
	const { contents, readUntil } = await readContents(poll, event, watched);
	if (isSample) {
		const items = watched.map(({ key }) => contents.get(key)?.toItem?.());
		return { items: items.filter((item) => item !== undefined), state: { known: {} } };
	}
	const keys = new Set(watched.map(({ key }) => key));
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

/**
 * Reads as much as there is time for, such as the rules of each container: the next poll continues after `readUntil`. A
 * failure costs only itself; a container that was deleted meanwhile is none.
 *
 * @throws where nothing can be read
 */
async function readContents(poll: Poll, event: ListEvent, watched: WatchedEntry[]) {
	const { ending, isSample, state } = poll;
	const start = watched.findIndex(({ key }) => key === state?.readUntil) + 1;
	const rotated = [...watched.slice(start), ...watched.slice(0, start)];
	const order = isSample && event.readsRules ? watched.slice(0, MAX_SAMPLE_RULES) : rotated;
	const contents: Reading['contents'] = new Map();
	const failures: Array<{ entry: WatchedEntry; error: Error }> = [];
	const settled = new Set<WatchedEntry>();
	const read = async (entry: WatchedEntry) => {
		try {
			contents.set(entry.key, await readContent(poll, event, entry));
		} catch (error) {
			// What was read counts.
			if (ending.signal.aborted) return;
			if (!isNotFound(error)) failures.push({ entry, error: error as Error });
		}
		settled.add(entry);
	};
	if (event.readsRules) await Promise.all(order.map(read));
	else for (const entry of order) await read(entry);
	const failure = (ending.signal.reason ?? failures[0]?.error) as Error | undefined;
	if (contents.size === 0 && failure !== undefined) throw failure;
	if (failures.length > 0) {
		const names = failures.map(({ entry: { id, name } }) => (name ? `"${name}" (${id})` : id));
		poll.warn(
			`The access rules of ${failures.length} of ${order.length} containers could not be read (${failures[0].error.message}). The trigger goes on without ${listSome(names)}`,
		);
	}
	const rest = order.findIndex((entry) => !settled.has(entry));
	const readUntil = rest === -1 ? undefined : (order[rest - 1]?.key ?? state?.readUntil);
	return { contents, readUntil };
}

async function readContent(poll: Poll, event: ListEvent, entry: WatchedEntry) {
	const { client, parameters, state } = poll;
	const { key, id: containerId, name } = entry;
	await takeBreak();
	if (!event.readsRules) return event.toContent(entry, parameters);
	const rules = await fetchRules(client, containerId);
	// Before anything of them is saved.
	await client.redactor.redactJson([rules]);
	const found = event.toContent({ ...entry, rules }, parameters, state?.known[key]);
	if (found?.toItem === undefined) return found;
	const container = name === undefined ? { containerId } : { containerId, name };
	const toItem = (saved?: string) => ({ ...container, ...found.toItem?.(saved), rules });
	return { ...found, toItem };
}
