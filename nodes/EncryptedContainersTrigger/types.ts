import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { PollFetcher } from './fetch';
import type { TriggerParameters } from './parameters';

/** A container or contact of an event, at the time of a poll. */
export interface Snapshot {
	/** Unique among all snapshots of an event, and the same at each poll. */
	identity: string;
	/** Saved with the identity, for events about deleted records. */
	name?: string;
	/** The texts to compare, with the same names in every snapshot of an event; empty if there is nothing. */
	fingerprints?: Record<string, string>;
	/** Returns the JSON of an item. `changed`: the names of the fingerprints that differ. */
	toItem(changed: string[]): IDataObject;
}

/** Compares the snapshots of a poll with the state of the last one. */
export interface Comparison {
	/** Returns what to save in the workflow's static data: few and short texts for each snapshot. */
	toState(snapshots: Snapshot[]): string[];

	/**
	 * Returns the JSON of an item for each event since the poll that saved the state. Depends on its arguments only: not on
	 * the order of the list, on timestamps, or on the number of calls.
	 */
	diff(state: string[], snapshots: Snapshot[]): IDataObject[];
}

/** An event that can start a workflow. */
export interface TriggerEvent {
	option: INodePropertyOptions;
	comparison: Comparison;
	/** Whether the first poll can emit what exists. */
	canIncludeExisting: boolean;
	/** The error for a sample when there is nothing. */
	nothingToShow: string;

	/** Fetches each snapshot once, in the order of the list. */
	fetch(fetcher: PollFetcher): Promise<Snapshot[]>;

	/** The parameters that decide what is fetched: when one changes, the saved state can't be used. */
	stateKey(parameters: TriggerParameters): unknown[];
}
