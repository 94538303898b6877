import type { IDataObject } from 'n8n-workflow';

import { matchesName } from '../shared/api/records';
import {
	createLossError,
	fetchEvents,
	fetchNewestEventId,
	findEventId,
	findNewestEvent,
} from '../shared/api/serviceEvents';
import type { QueryParameters } from '../shared/parameters/requests';
import type { Poll, PollResult, PollState } from './createPoll';
import type { TriggerParameters } from './parameters';

/** The service's events of one poll, of which the next one continues with the others, and of a test. */
const MAX_EVENTS = 10_000;
const MAX_SAMPLE_EVENTS = 1000;

/**
 * The service's events since the last poll, in their order; for a sample the newest first. The first poll only notes the
 * newest one: nothing old is an event.
 */
export async function pollActivity(poll: Poll, activity: string): Promise<PollResult> {
	const { state, isSample, parameters } = poll;
	if (isSample) {
		const newest = await fetchActivity(poll, [['order', 'desc']], MAX_SAMPLE_EVENTS);
		return { items: pickMeant(newest, activity, parameters), state: createState() };
	}
	if (state === undefined) {
		return { items: [], state: createState(await fetchNewestEventId(poll.client, poll.userId)) };
	}
	const { position: after } = state;
	const found = await fetchSince(poll, after);
	if (found.length === 0) return await keepPosition(poll, after);
	const items = pickMeant(found, activity, parameters);
	return { items, state: createState(findEventId(found.at(-1))) };
}

/** A service that never had the last event (409) was put back, and has no later one: the newest one tells it. */
async function fetchSince(poll: Poll, after?: string): Promise<IDataObject[]> {
	const since: QueryParameters = after === undefined ? [] : [['after', after]];
	return await fetchActivity(poll, since, MAX_EVENTS).catch((error: unknown) => {
		if (findNewestEvent(error) === undefined) throw error;
		return [];
	});
}

async function fetchActivity(poll: Poll, where: QueryParameters, limit: number) {
	const { client, userId, parameters } = poll;
	const query = [...parameters.query, ...where];
	const found = await fetchEvents(client, userId, { query, limit });
	await client.redactor.redactJson(found);
	return found;
}

/** Those with the action of the trigger, of containers that it watches. */
function pickMeant(found: IDataObject[], activity: string, { nameContains }: TriggerParameters) {
	return found.filter(({ action, container_name: name }) => {
		return action === activity && matchesName(String(name ?? ''), nameContains);
	});
}

function createState(position?: string): PollState {
	return { known: {}, position };
}

/**
 * A service that was restored from a backup has forgotten the event that the last poll ended with, and numbers new ones
 * from before it: the trigger would be silent until they reach it.
 */
async function keepPosition(poll: Poll, after?: string): Promise<PollResult> {
	const newest =
		after === undefined ? undefined : await fetchNewestEventId(poll.client, poll.userId);
	// Without any, it has deleted all old ones.
	if (newest === undefined || Number(newest) >= Number(after)) {
		return { items: [], state: createState(after) };
	}
	return { items: [], state: createState(newest), problem: createLossError(String(after), newest) };
}
