import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import type { ListDefinition, ListEntry } from '../shared/api/lists';
import type { TriggerParameters } from './parameters';

export type TriggerEvent = ActivityEvent | ListEvent;

interface EventDescription {
	option: INodePropertyOptions;
	/** Marks the items of a test. */
	sample: string;
	/** The error of a test when there is nothing to show. */
	nothingToShow: string;
}

/** What the service itself notes: each item is one of its events. */
export interface ActivityEvent extends EventDescription {
	/** The `action` of the service's events (docs/openapi.yaml, Event). */
	activity: string;
}

/** What a list shows, compared with the list of the poll before. */
export interface ListEvent extends EventDescription {
	activity?: undefined;
	list: ListDefinition;
	/** Whether it takes the rules of each container. Its items begin with the container, and end with its rules. */
	readsRules?: boolean;
	/** Undefined for rules that the event is not about. `saved`: by the last poll. @throws UserError for unclear rules */
	toContent(entry: WatchedEntry, options: TriggerParameters, saved?: string): Content | undefined;
	/** Whether a content is an event, compared with what the last poll saved; undefined where only a deletion is one. */
	isEvent?(before: string | undefined, content: string): boolean;
	/** The JSON of an item for a record that was deleted, where that is the event. */
	toDeletedItem?(content: string): IDataObject;
	/** The parameters that decide what is compared: when one changes, the saved state can't be used. */
	stateKey?(parameters: TriggerParameters): unknown;
}

export interface WatchedEntry extends ListEntry {
	/** What the state knows it by. */
	key: string;
	rules?: DrmRules;
}

export interface Content {
	/** The text to save and compare: short, of constant length where it can be. */
	content: string;
	/** Whether it is only saved. */
	isSilent?: boolean;
	/** Returns the JSON of an item. `before`: the content that the last poll saved, if any. */
	toItem(before?: string): IDataObject;
}

/** What a poll read of a list. */
export interface Reading {
	/** The keys of everything in the list. */
	listed: Set<string>;
	/** By key, in the order of the list; undefined for those that the event is not about. */
	contents: Map<string, Content | undefined>;
	/** The keys of what is in the list, but was not read this time. */
	unread: string[];
	/** Where the poll ended before it had read everything: the key after which the next one continues. */
	readUntil?: string;
}
