import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { DrmRules } from '../shared/api/drmRules';
import type { ListEntry } from '../shared/api/lists';
import type { RequestLimits } from '../shared/parameters/limits';

/** What the user entered, parsed. */
export interface TriggerParameters extends RequestLimits {
	/** Part of a container's name; empty for all containers. */
	nameFilter: string;
	withinDays: number;
	includeExisting: boolean;
	fieldsToIgnore: string[];
	/** Another user than that of the API key. */
	userId?: string;
	/** The workflow's time zone, and the calendar day there, `YYYY-MM-DD`. */
	timeZone: string;
	today: string;
}

/** What an event fetches with, for one poll; each method throws a NodeApiError when anything can't be fetched. */
export interface EventFetcher {
	readonly parameters: TriggerParameters;
	/** Whether a few of everything are enough. */
	readonly isSample: boolean;
	fetchContainers(): Promise<ListEntry[]>;
	fetchContacts(): Promise<ListEntry[]>;
	/** The containers that pass the name filter, with their rules. */
	fetchContainersWithRules(): Promise<Array<ListEntry & { rules: DrmRules }>>;
}

/** One of the things that an event is about, as it is at the time of a poll. */
export interface Snapshot {
	/** Unique among all snapshots of an event, and the same at each poll. */
	identity: string;
	/** Saved with it, for an event about what was deleted. */
	name?: string;
	/** What is compared, by name: the same names for every snapshot of an event, empty for what it lacks. */
	fingerprints?: Record<string, string>;
	/** The JSON of an item, given the names of the fingerprints that differ. */
	toItem(changed: string[]): IDataObject;
}

/** How the snapshots of a poll are compared with the state that the last one saved. */
export interface Comparison {
	/** What to save until the next poll: few and short texts for each snapshot, kept in the workflow's static data. */
	toState(snapshots: Snapshot[]): string[];

	/**
	 * What happened since the last poll. It depends on its arguments alone: not on the order of the list, on timestamps, or
	 * on how often it is called.
	 *
	 * @param state what `toState` returned then
	 * @returns the JSON of an item for each event, in the order of the list
	 */
	diff(state: string[], snapshots: Snapshot[]): IDataObject[];
}

/** An event that can start a workflow. */
export interface TriggerEvent {
	option: INodePropertyOptions;
	comparison: Comparison;
	/** Whether what exists at the first poll may be emitted. */
	canIncludeExisting: boolean;
	/** The error when a sample is asked for and there is nothing. */
	nothingToShow: string;

	/** Fetches what the event is about: each snapshot once, in the order of the list. */
	fetch(fetcher: EventFetcher): Promise<Snapshot[]>;

	/** The parameters that decide what is fetched: when one changes, the saved state is of no use any more. */
	stateKey(parameters: TriggerParameters): unknown[];
}
