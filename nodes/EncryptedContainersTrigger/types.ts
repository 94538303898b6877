import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import type { ListDefinition, ListEntry } from '../shared/api/lists';
import type { TriggerParameters } from './parameters';

export interface WatchedEntry extends ListEntry {
	key: string;
	rules?: DrmRules;
}

export interface Content {
	/** The text to save and compare: short, of constant length where it can be. */
	content: string;
	isSilent?: boolean;
	/** Returns the JSON of an item. `before`: the content that the last poll saved, if any. */
	toItem(before?: string): IDataObject;
}

export interface TriggerEvent {
	option: INodePropertyOptions;
	list: ListDefinition;
	/** Marks the items of a test. */
	sample: string;
	/** The error of a test when there is nothing to show. */
	nothingToShow: string;
	/** Whether it takes the rules of each container. Its items begin with the container, and end with its rules. */
	readsRules?: boolean;
	/** Undefined for rules that the event is not about. `saved`: by the last poll. @throws UserError for unclear rules */
	toContent(entry: WatchedEntry, options: TriggerParameters, saved?: string): Content | undefined;
	/** Whether a content is an event, compared with what the last poll saved; undefined where only a deletion is one. */
	isEvent?(before: string | undefined, content: string): boolean;
	/** The JSON of an item for a record that was deleted, where that is the event. Its content is the ID, a line break, and text. */
	toDeletedItem?(id: string, text: string): IDataObject;
	/** The parameters that decide what is fetched: when one changes, the saved state can't be used. */
	stateKey?(parameters: TriggerParameters): unknown;
}
