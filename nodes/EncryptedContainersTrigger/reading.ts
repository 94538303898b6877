import type { IDataObject } from 'n8n-workflow';

import type { ListDefinition, ListEntry } from '../shared/api/lists';
import { CONTACT_LIST } from '../shared/api/lists';
import { toAddressKey } from '../shared/parameters/addresses';
import { hash } from './pollState';

/** What an event watches. */
export interface Watched {
	list: ListDefinition;

	/**
	 * Returns the JSON of an item for a record that was deleted, where that is the event. The state of such an event
	 * contains identifiers; that of any other only their hashes.
	 */
	toDeletedItem?(id: string, content: string): IDataObject;
}

/** An entry of the list, with the key of the record. */
export interface KeyedEntry extends ListEntry {
	key: string;
}

/** What an event is about, of a container or contact. */
export interface Content {
	/** The text to save and compare: short, of constant length where it can be. */
	content: string;
	/** Whether it is only saved: never an event. */
	isSilent?: boolean;
	/** Returns the JSON of an item. `before`: the content that the last poll saved, if any. */
	toItem(before?: string): IDataObject;
}

/** A container or contact of an event, at the time of a poll. */
export interface Snapshot extends Content {
	key: string;
}

/** What a poll has seen of its list. */
export interface Reading {
	/** The ID of everything in the list, by its key. */
	listed: Map<string, string>;
	/** Of those that the event is about, in the order of the list. */
	snapshots: Snapshot[];
	/** The keys of what is in the list, but was not read or understood this time. */
	unread: string[];
	/** The key of the last one that was read when the time was over: the next poll continues after it. */
	readUntil?: string;
	/** The keys of those whose last reading failed. */
	failed?: string[];
}

/** 72 bits: no two records have the same. */
const KEY_LENGTH = 12;

/**
 * The key of a record. All spellings of an email address have the same one: a service that changes them has not deleted
 * the contact.
 */
export function getKey({ list, toDeletedItem }: Watched, id: string): string {
	const identity = list === CONTACT_LIST ? toAddressKey(id) : id;
	return toDeletedItem === undefined ? hash(identity, KEY_LENGTH) : identity;
}

/** Sorted by key, with those after `readUntil` first: a constant order, whatever that of the list. */
export function rotate(entries: KeyedEntry[], readUntil = ''): KeyedEntry[] {
	const sorted = [...entries].sort((a, b) => (a.key < b.key ? -1 : 1));
	const start = sorted.findIndex(({ key }) => key > readUntil);
	return start === -1 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
}

export function getIds(entries: KeyedEntry[]): Map<string, string> {
	return new Map(entries.map(({ key, id }) => [key, id]));
}
