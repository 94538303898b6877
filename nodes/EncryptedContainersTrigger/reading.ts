import type { IDataObject } from 'n8n-workflow';

import type { ListDefinition } from '../shared/api/lists';
import { CONTACT_LIST } from '../shared/api/lists';

/** A container or contact of an event, at the time of a poll. */
export interface Snapshot {
	id: string;
	/** The text to save and compare: short, of constant length where it can be. */
	content: string;
	/** Returns the JSON of an item. `before`: the content that the last poll saved, if any. */
	toItem(before?: string): IDataObject;
}

/** What a poll has seen of its list. */
export interface Reading {
	/** The keys of everything in the list. */
	listed: Set<string>;
	/** Of those that the event is about, in the order of the list. */
	snapshots: Snapshot[];
	/** The keys of what is in the list, but could not be read or understood this time. */
	unread: Set<string>;
	/** The IDs of those that there was no time for. */
	postponed: string[];
	/** The last ID that was read when the time was over: the next poll continues after it. */
	readUntil?: string;
	/** Whether no container of the list has rules. */
	hasNoRules?: boolean;
}

/**
 * The key of a record. Contacts have the same one whatever the capitals of the address: a service that changes them has
 * not deleted the contact.
 */
export function getKey(list: ListDefinition, id: string): string {
	return list === CONTACT_LIST ? id.toLowerCase() : id;
}
