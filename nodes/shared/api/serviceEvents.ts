import { OperationalError, type IDataObject } from 'n8n-workflow';

import type { Client } from '../client/client';
import { endpoints } from '../client/endpoints';
import { ServiceError } from '../errors/errors';
import type { QueryParameters } from '../parameters/requests';
import { assertFeature } from './features';
import { withLink } from './links';
import { fetchEntries, MAX_PAGE_SIZE, type ListDefinition, type ListOptions } from './lists';
import { withFirst } from './records';

interface EventOptions extends ListOptions {
	/** Of one container; otherwise of all. */
	containerId?: string;
	/** Less where the first ones are enough. */
	pageSize?: number;
}

/**
 * What happened to the containers of a user, or to one of them, with the `containerId` of each event (docs/openapi.yaml,
 * listEvents, listContainerEvents).
 *
 * @throws UserError also where the `features` of the service lack its events
 */
export async function fetchEvents(
	client: Client,
	userId: string,
	options: EventOptions = {},
): Promise<IDataObject[]> {
	const { containerId, query = [], pageSize = MAX_PAGE_SIZE } = options;
	await assertFeature(client, 'events');
	const { listEvents, listContainerEvents } = endpoints;
	const list: ListDefinition = {
		endpoint: containerId === undefined ? listEvents : listContainerEvents,
		records: 'events',
		containerId,
		expected: 'events with an id',
		getIdentity: ({ id }) => ({ id: id === undefined ? undefined : String(id) }),
	};
	const entries = await fetchEntries(client, list, userId, {
		...options,
		query: [...query, ['limit', String(pageSize)]],
	});
	return await Promise.all(entries.map(async ({ record }) => await toEventItem(client, record)));
}

/** What is gone has no link, and an event can be about no container. */
async function toEventItem(client: Client, record: IDataObject): Promise<IDataObject> {
	const { container_id: containerId, action } = record;
	if (typeof containerId !== 'string') return { containerId: null, ...record };
	if (action === 'container.delete') return withFirst({ containerId }, record);
	return await withLink(client, containerId, record);
}

/** Of all events of a user; undefined where there is none. */
export async function fetchNewestEventId(
	client: Client,
	userId: string,
): Promise<string | undefined> {
	const query: QueryParameters = [['order', 'desc']];
	const found = await fetchEvents(client, userId, { query, limit: 1, pageSize: 1 });
	return found.length === 0 ? undefined : String(found[0].id);
}

export function findEventId(event?: IDataObject): string | undefined {
	return event === undefined ? undefined : String(event.id);
}

/** The newest event that the service has, where the error says that it doesn't know the one that was asked for. */
export function findNewestEvent(error: unknown): string | undefined {
	const { reason } = error instanceof ServiceError ? error : {};
	return reason?.kind === 'status' ? reason.newestEvent : undefined;
}

/** For a service that doesn't know the last event that a trigger has seen, and numbers new ones from before it. */
export function createLossError(last: string, newest: string): OperationalError {
	return new OperationalError(
		'The service has lost events, for example because it was restored from a backup',
		{
			description: `The last event that the trigger saw was ${last}, but the newest event of the service is now ${newest}. The trigger goes on with the events after ${newest}. New events up to ${newest} did not start the workflow: look for them with Container > Get Activity.`,
		},
	);
}
