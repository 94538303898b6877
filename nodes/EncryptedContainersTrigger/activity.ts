import { OperationalError, type IDataObject } from 'n8n-workflow';

import { fetchEvents } from '../shared/api/lists';
import { matchesName } from '../shared/api/records';
import type { QueryParameters } from '../shared/parameters/requests';
import type { Poll, PollResult } from './createPoll';

/** The service's events of one poll, of which the next one continues with the others, and of a test. */
const MAX_EVENTS = 10_000;
const MAX_SAMPLE_EVENTS = 1000;

/**
 * The service's events since the last poll, in their order; for a sample the newest first. The first poll only notes the
 * newest one: nothing old is an event.
 */
export async function pollActivity(poll: Poll, activity: string): Promise<PollResult> {
	const { client, userId, state, isSample, parameters } = poll;
	const isMeant = ({ action, container_name: name }: IDataObject) =>
		action === activity && matchesName(String(name ?? ''), parameters.nameContains);
	const fetchMeant = async (where: QueryParameters, limit: number) => {
		const query = [...parameters.query, ...where];
		const found = await fetchEvents(client, userId, { query, limit });
		await client.redactor.redactJson(found);
		return { items: found.filter(isMeant), lastId: findId(found.at(-1)) };
	};
	if (isSample) {
		const { items } = await fetchMeant([['order', 'desc']], MAX_SAMPLE_EVENTS);
		return { items, state: { known: {} } };
	}
	if (state === undefined) {
		return { items: [], state: { known: {}, position: await fetchNewestId(poll) } };
	}
	const { position: after } = state;
	const { items, lastId } = await fetchMeant(
		after === undefined ? [] : [['after', after]],
		MAX_EVENTS,
	);
	if (lastId !== undefined) return { items, state: { known: {}, position: lastId } };
	return await keepPosition(poll, after);
}

/**
 * A service that was restored from a backup has forgotten the event that the last poll ended with, and numbers new ones
 * from before it: the trigger would be silent until they reach it.
 */
async function keepPosition(poll: Poll, after?: string): Promise<PollResult> {
	const newest = after === undefined ? undefined : await fetchNewestId(poll);
	// Without any, it has deleted all old ones.
	if (newest === undefined || Number(newest) >= Number(after)) {
		return { items: [], state: { known: {}, position: after } };
	}
	const problem = new OperationalError(
		'The service has lost events, for example because it was restored from a backup',
		{
			description: `The trigger has seen event ${after}, but the newest event of the service is ${newest}. What happened up to event ${newest} did not start the workflow if it is new: look for it with Container > Get Activity. From now on, the trigger goes on with what happens after it.`,
		},
	);
	return { items: [], state: { known: {}, position: newest }, problem };
}

/** Of all events, whatever filters are set: those that the trigger has seen are among them. */
async function fetchNewestId({ client, userId }: Poll): Promise<string | undefined> {
	const found = await fetchEvents(client, userId, {
		query: [['order', 'desc']],
		limit: 1,
		pageSize: 1,
	});
	return findId(found.at(0));
}

function findId(event?: IDataObject): string | undefined {
	return event === undefined ? undefined : String(event.id);
}
