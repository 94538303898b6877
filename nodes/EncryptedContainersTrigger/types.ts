import type { INodePropertyOptions } from 'n8n-workflow';

import type { PollFetcher } from './fetch';
import type { TriggerParameters } from './parameters';
import type { Reading, Watched } from './reading';

/** An event that can start a workflow. */
export interface TriggerEvent extends Watched {
	option: INodePropertyOptions;
	/** What marks the items of a test: what they show, since no event happened. */
	sample: string;

	/** The error of a test when there is nothing to show. */
	nothingToShow: string;

	/** Fetches each snapshot once. */
	fetch(fetcher: PollFetcher): Promise<Reading>;

	/** Whether a snapshot is an event, compared with what the last poll saved; undefined where only a deletion is one. */
	isEvent?(before: string | undefined, content: string): boolean;

	/** The parameters that decide what is fetched: when one changes, the saved state can't be used. */
	stateKey?(parameters: TriggerParameters): unknown;
}
