import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { PollFetcher } from './fetch';
import type { TriggerParameters } from './parameters';

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

/** An event that can start a workflow. */
export interface TriggerEvent {
	option: INodePropertyOptions;
	list: 'containers' | 'contacts';
	/** The error for a sample when there is nothing. */
	nothingToShow: string;

	/** Fetches each snapshot once. */
	fetch(fetcher: PollFetcher): Promise<Reading>;

	/** Whether a snapshot is an event, compared with what the last poll saved. */
	isEvent(before: string | undefined, content: string): boolean;

	/** Returns the JSON of an item for a record that was deleted, where that is the event. */
	toDeletedItem?(id: string, content: string): IDataObject;

	/** The parameters that decide what is fetched: when one changes, the saved state can't be used. */
	stateKey(parameters: TriggerParameters): unknown[];
}
