import { CONTACT_LIST, fetchEntries } from '../shared/api/lists';
import { toContainerKey } from '../shared/api/records';
import { takeBreak } from '../shared/client/delay';
import { toAddressKey } from '../shared/parameters/addresses';
import { matchesName } from '../shared/parameters/wildcards';
import type { Poll } from './createPoll';
import { hash } from './pollState';
import { readRules } from './readRules';
import type { ListEvent, Reading, WatchedEntry } from './types';

/** 72 bits: no two records have the same. */
const KEY_LENGTH = 12;

/** Reads the list of an event, and the rules where it takes them. @throws NodeApiError for a list that has no end */
export async function readList(poll: Poll, event: ListEvent): Promise<Reading> {
	const { parameters } = poll;
	const entries = await fetchAll(poll, event);
	const listed = new Set(entries.map(({ key }) => key));
	if (event.readsRules) {
		const watched = entries.filter(({ name }) => matchesName(name, parameters.nameContains));
		return { listed, ...(await readRules(poll, event, watched)) };
	}
	const contents: Reading['contents'] = new Map();
	for (const entry of entries) {
		contents.set(entry.key, event.toContent(entry, parameters));
		await takeBreak();
	}
	return { listed, contents, unread: [] };
}

/** The same for all spellings of an address or UUID, which a service can change. */
export function getKey({ list }: ListEvent, id: string): string {
	return hash(list === CONTACT_LIST ? toAddressKey(id) : toContainerKey(id), KEY_LENGTH);
}

async function fetchAll({ client, userId, parameters }: Poll, event: ListEvent) {
	const byKey = new Map<string, WatchedEntry>();
	const entries = await fetchEntries(client, event.list, userId, { query: parameters.query });
	// Before anything is shortened or saved: half an API key can't be recognized any more.
	await client.redact(entries.map(({ record }) => record));
	for (const entry of entries) {
		const key = getKey(event, entry.id);
		byKey.set(key, { ...entry, key });
		await takeBreak();
	}
	return [...byKey.values()];
}
