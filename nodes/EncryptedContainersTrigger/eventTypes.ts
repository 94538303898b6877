import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import type { ListDefinition, ListEntry } from '../shared/api/lists';
import type { TriggerParameters } from './parameters';

export type TriggerEvent = ActivityEvent | ListEvent;

interface EventOption {
	name: string;
	value: string;
	description: string;
}

/** What the service itself notes: each item is one of its events. */
export interface ActivityEvent extends EventOption {
	/** The `action` of the service's events (docs/openapi.yaml, Event). */
	activity: string;
}

/** What a list shows, compared with the list of the poll before. */
export interface ListEvent extends EventOption {
	activity?: undefined;
	list: ListDefinition;
	/** Whether it takes the rules of each container, which its items begin and end with. */
	readsRules?: boolean;
	/** Undefined for rules that the event is not about. `saved`: by the last poll. @throws UserError for unclear rules */
	toContent(entry: WatchedEntry, options: TriggerParameters, saved?: string): Content | undefined;
	/** Compares a content with what the last poll saved. Without it, the event is a deletion, and the content its item. */
	isEvent?(before: string | undefined, content: string): boolean;
}

export interface WatchedEntry extends ListEntry {
	/** What the state knows it by. */
	key: string;
	rules?: DrmRules;
}

export interface Content {
	/** The text to save and compare: short, of constant length where it can be. */
	content: string;
	/** Returns the JSON of an item, for what is not only saved. `before`: the content that the last poll saved, if any. */
	toItem?(before?: string): IDataObject;
}

/**
 * What n8n stores for the trigger: when it activates it and when it emits; with n8n's durable scheduler after each poll.
 * After a restart, only a record that was created since and changed or deleted while n8n was not running is missed.
 */
export interface PollState {
	/** What the last poll saw: contents by key. */
	known: Record<string, string>;
	/** Where the next poll continues: the ID of the last event, or the key of the last container whose rules were read. */
	readUntil?: string;
}

/** 72 bits of a text, as Base64. */
export function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, 12);
}
