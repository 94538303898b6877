import type { IDataObject } from 'n8n-workflow';

export type ListName = 'containers' | 'contacts';

/** A container or contact of an event, at the time of a poll. */
export interface Snapshot {
	id: string;
	/** The text to save and compare: short, of constant length where it can be. Undefined if the event is not about it. */
	content?: string;
	/** Returns the JSON of an item. `before`: the content that the last poll saved, if any. */
	toItem(before?: string): IDataObject;
}

/** What a poll has seen of its list. */
export interface Reading {
	/** The keys of everything in the list. */
	listed: Set<string>;
	/** In the order of the list. */
	snapshots: Snapshot[];
	/** The keys of what is in the list, but was not read this time. */
	unread: Set<string>;
	/** The last ID that was read when the time was over: the next poll continues after it. */
	readUntil?: string;
	/** Whether no container of the list has rules. */
	hasNoRules?: boolean;
}

/**
 * The key of a record. Contacts have the same one whatever the capitals of the address: a service that changes them has
 * not deleted the contact.
 */
export function getKey(list: ListName, id: string): string {
	return list === 'contacts' ? id.toLowerCase() : id;
}
