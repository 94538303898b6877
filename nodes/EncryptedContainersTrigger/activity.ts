import type { IDataObject } from 'n8n-workflow';

import {
	assertEvents,
	createEventList,
	MAX_EVENTS_OF_PAGE,
	toEventItem,
} from '../shared/api/events';
import { fetchEntries } from '../shared/api/lists';
import type { QueryParameters } from '../shared/parameters/query';
import { matchesName } from '../shared/parameters/wildcards';
import type { Poll } from './createPoll';
import type { PollState } from './pollState';
import type { ActivityEvent } from './types';

/** Events of one poll. The next one continues with the others. */
const MAX_EVENTS = 10_000;

/**
 * The service's events since the last poll, in their order. The first poll only notes the newest one: nothing old is an
 * event.
 *
 * @returns the items to emit, and what to save
 */
export async function pollActivity(poll: Poll, event: ActivityEvent) {
	const { state, parameters } = poll;
	await assertEvents(poll.client);
	if (state === undefined) return { items: [], state: createState(await fetchNewest(poll, 1)) };
	const query: QueryParameters = [...parameters.query, ['limit', String(MAX_EVENTS_OF_PAGE)]];
	if (state.readUntil !== undefined) query.push(['after', state.readUntil]);
	const records = await fetchEvents(poll, query, MAX_EVENTS);
	const items = records.filter((record) => isMeant(poll, event, record));
	return { items, state: records.length === 0 ? state : createState(records.slice(-1)) };
}

/** The newest events first. */
export async function fetchActivitySample(poll: Poll, event: ActivityEvent) {
	await assertEvents(poll.client);
	const newest = await fetchNewest(poll, MAX_EVENTS_OF_PAGE);
	return newest.filter((record) => isMeant(poll, event, record));
}

async function fetchNewest(poll: Poll, limit: number) {
	const newestFirst: QueryParameters = [
		['order', 'desc'],
		['limit', String(limit)],
	];
	return await fetchEvents(poll, [...poll.parameters.query, ...newestFirst], limit);
}

async function fetchEvents({ client, userId }: Poll, query: QueryParameters, limit: number) {
	const entries = await fetchEntries(client, createEventList(), userId, { query, limit });
	return await client.redact(entries.map(({ record }) => toEventItem(record)));
}

function createState([last]: IDataObject[]): PollState {
	const readUntil = last === undefined ? undefined : String(last.id);
	return { known: new Map(), readUntil };
}

function isMeant({ parameters }: Poll, { activity }: ActivityEvent, record: IDataObject): boolean {
	return (
		record.action === activity &&
		matchesName(String(record.container_name ?? ''), parameters.nameContains)
	);
}
