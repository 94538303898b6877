import type { IDataObject } from 'n8n-workflow';

import {
	assertEvents,
	createEventList,
	fetchEntries,
	MAX_EVENTS_OF_PAGE,
	toEventItem,
} from '../shared/api/lists';
import { matchesName } from '../shared/api/records';
import type { Poll } from './createPoll';
import type { ActivityEvent } from './eventTypes';

/** Events of one poll. The next one continues with the others. */
const MAX_EVENTS = 10_000;

/**
 * The service's events since the last poll, in their order; for a sample the newest first. The first poll only notes the
 * newest one: nothing old is an event.
 */
export async function pollActivity(poll: Poll, { activity }: ActivityEvent) {
	const { state, isSample, parameters } = poll;
	const after = state?.readUntil;
	const records =
		state === undefined
			? await fetchEvents(poll, { order: 'desc' }, isSample ? MAX_EVENTS_OF_PAGE : 1)
			: await fetchEvents(poll, after === undefined ? {} : { after }, MAX_EVENTS);
	const readUntil = records.length === 0 ? after : String(records.at(-1)?.id);
	const isMeant = ({ action, container_name: name }: IDataObject) =>
		action === activity && matchesName(String(name ?? ''), parameters.nameContains);
	const items = state === undefined && !isSample ? [] : records.filter(isMeant);
	return { items, state: { known: {}, readUntil } };
}

async function fetchEvents(poll: Poll, own: Record<string, string>, limit: number) {
	const { client, userId, parameters } = poll;
	await assertEvents(client);
	const pageSize = String(Math.min(limit, MAX_EVENTS_OF_PAGE));
	const query = [...parameters.query, ...Object.entries({ ...own, limit: pageSize })];
	const entries = await fetchEntries(client, createEventList(), userId, { query, limit });
	return await client.redactor.redactJson(entries.map(({ record }) => toEventItem(record)));
}
