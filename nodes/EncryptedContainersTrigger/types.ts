import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { Fetcher } from './fetch';
import type { TriggerParameters } from './parameters';

/** One of the things that an event is about, as it is at the time of a poll. */
export interface Snapshot {
	/** Tells it apart from all others; the same at each poll. */
	identity: string;
	/** Name to be remembered along with it, where the event tells of what is gone. */
	name?: string;
	/** What is looked at for changes, by name: the same names for every subject of an event, empty for what it lacks. */
	fingerprints?: Record<string, string>;
	/** What the workflow gets, given the names of the facets that changed. */
	toItem(changed: string[]): IDataObject;
}

/** How what is there now is compared with what is remembered of the last poll. */
export interface Comparison {
	/**
	 * What to remember until the next poll.
	 *
	 * @param subjects what is there now
	 * @returns texts that are kept in the workflow's static data: few and short ones for each subject
	 */
	toState(subjects: Snapshot[]): string[];

	/**
	 * What happened since the last poll. It depends on nothing but its arguments: not on the order of the list, on time
	 * stamps, or on how often it is asked.
	 *
	 * @param remembered what `remember` answered then
	 * @param subjects what is there now
	 * @returns the JSON of an item for each event, in the order of the list
	 */
	diff(remembered: string[], subjects: Snapshot[]): IDataObject[];
}

/** An event that can start a workflow. */
export interface TriggerEvent {
	option: INodePropertyOptions;
	comparison: Comparison;
	/** Whether what exists at the first poll may be emitted. */
	canIncludeExisting: boolean;
	/** What a person reads when a sample is asked for and there is nothing. */
	nothingToShow: string;

	/**
	 * Reads what the event is about from the service.
	 *
	 * @param reader the poll's means of reading
	 * @returns each subject once, in the order of the list
	 * @throws NodeApiError when anything cannot be read
	 */
	fetch(reader: Fetcher): Promise<Snapshot[]>;

	/** The settings that decide what is looked at: when one changes, nothing remembered is of use any more. */
	stateKey(settings: TriggerParameters): unknown[];
}
