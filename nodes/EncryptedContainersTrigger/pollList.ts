import type { IDataObject } from 'n8n-workflow';

import { findContainerLink } from '../shared/api/links';
import { CONTACT_LIST, fetchEntries } from '../shared/api/lists';
import { matchesName, sortNewestFirst, withFirst } from '../shared/api/records';
import { fetchRules } from '../shared/api/shownRules';
import type { Client } from '../shared/client/client';
import { hasStatus, isNotFound } from '../shared/errors/errors';
import { listSome } from '../shared/parameters/values';
import { takeBreak } from '../shared/responses/takeBreak';
import type { Poll, PollResult, PollState } from './createPoll';
import { getKey, type ListEvent, type Reading, type WatchedEntry } from './events';

/** The content of a record that the first poll could not read. No other looks like it. */
const NOT_READ = '?';

/** The newest records that a test reads the rules of: a person waits for it. */
const MAX_SAMPLE = 50;

/** @returns what differs from the list of the last poll; for a sample all that there is, the newest first */
export async function pollList(poll: Poll, event: ListEvent): Promise<PollResult> {
	const { client, userId, isSample, state } = poll;
	const { query, nameContains } = poll.parameters;
	const entries = await fetchEntries(client, event.list, userId, { query });
	// Before anything is shortened or saved: half an API key can't be recognized any more.
	await client.redactor.redactJson(entries);
	const watched = (isSample ? sortNewestFirst(entries) : entries)
		.filter(({ name }) => matchesName(name, nameContains))
		.slice(0, isSample ? MAX_SAMPLE : undefined)
		.map((entry) => ({ ...entry, key: getKey(event, entry.id) }));
	const { readings, position } = await readAll(poll, event, watched);
	const keys = new Set(watched.map(({ key }) => key));
	const items: IDataObject[] = [];
	const known: PollState['known'] = {};
	for (const key of keys) {
		const unread = { content: state === undefined ? NOT_READ : state.known[key] };
		const { content, item }: Reading = readings.get(key) ?? unread;
		if (content !== undefined) known[key] = content;
		if (item !== undefined) items.push(item);
	}
	for (const [key, content] of Object.entries(state?.known ?? {})) {
		if (event.isDeletion && !keys.has(key)) items.push(JSON.parse(content) as IDataObject);
	}
	return { items, state: { known, position } };
}

interface ReadingFailure {
	entry: WatchedEntry;
	error: Error;
}

/**
 * Reads as much as there is time for, such as the rules of each container: the next poll continues at `position`. A
 * failure costs only itself, and a container that was deleted meanwhile is none. @throws where nothing can be read
 */
async function readAll(poll: Poll, event: ListEvent, watched: WatchedEntry[]) {
	const { ending, state } = poll;
	const next = watched.findIndex(({ key }) => key === state?.position);
	const start = Math.max(0, next);
	const order = [...watched.slice(start), ...watched.slice(0, start)];
	const readings = new Map<string, Reading | undefined>();
	const failures: ReadingFailure[] = [];
	const read = async (entry: WatchedEntry) => {
		try {
			await takeBreak();
			readings.set(entry.key, await readEntry(poll, event, entry));
		} catch (error) {
			// All others would fail as well.
			if (hasStatus(error, 401) || hasStatus(error, 429)) ending.abort(error);
			// What was read counts.
			if (ending.signal.aborted) return;
			readings.set(entry.key, undefined);
			if (!isNotFound(error)) failures.push({ entry, error: error as Error });
		}
	};
	if (event.readsRules) {
		await Promise.all(order.map(read));
	} else {
		for (const entry of order) await read(entry);
	}
	const failure = (ending.signal.reason ?? failures[0]?.error) as Error | undefined;
	const isAnyRead = [...readings.values()].some(Boolean);
	if (failure !== undefined && !isAnyRead) throw failure;
	if (failures.length > 0) warnOfFailures(poll, failures, order.length);
	return { readings, position: order.find(({ key }) => !readings.has(key))?.key };
}

function warnOfFailures(poll: Poll, failures: ReadingFailure[], total: number): void {
	const names = failures.map(({ entry: { id, name } }) => (name ? `"${name}" (${id})` : id));
	const [{ error }] = failures;
	poll.warn(
		`The access rules of ${failures.length} of ${total} containers could not be read (${error.message}). The trigger goes on without ${listSome(names)}`,
	);
}

async function readEntry(poll: Poll, event: ListEvent, entry: WatchedEntry): Promise<Reading> {
	if (!event.readsRules) return await createReading(poll, event, entry);
	const rules = await fetchRules(poll.client, entry.id);
	// Before anything of them is saved.
	await poll.client.redactor.redactJson(rules);
	return await createReading(poll, event, { ...entry, rules });
}

/** With an item, where the entry has changed since the last poll in a way that is an event. */
async function createReading(poll: Poll, event: ListEvent, entry: WatchedEntry): Promise<Reading> {
	const { state, isSample, parameters } = poll;
	const { key, id, name, rules } = entry;
	const saved = state === undefined ? NOT_READ : state.known[key];
	const isFirst = saved === NOT_READ;
	const { content, item } = event.read(entry, parameters, isFirst ? undefined : saved);
	const isChange = saved === undefined ? !event.ignoresNew : saved !== content;
	const isEvent = (isFirst ? parameters.includeExisting : isChange) && !event.isDeletion;
	if (item === undefined || !(isSample || isEvent)) return { content };
	if (event.list === CONTACT_LIST) return { content, item };
	if (event.isDeletion) return { content, item: withFirst({ containerId: id }, item) };
	const about = rules === undefined ? item : { ...item, rules };
	const named = rules === undefined || name === undefined ? about : { name, ...about };
	return { content, item: await linkContainer(poll.client, entry, named) };
}

/** The link is that of the record, which the item might not hold. */
async function linkContainer(client: Client, { id, record }: WatchedEntry, item: IDataObject) {
	const link = await findContainerLink(client, id, record);
	return withFirst({ containerId: id, link }, item);
}
