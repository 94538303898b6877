import { UserError, type IDataObject } from 'n8n-workflow';

import type { Client } from '../client/client';
import type { ListDefinition } from './lists';
import { withContainerId } from './records';

/** The most events of a page (docs/openapi.yaml, Limit). */
export const MAX_EVENTS_OF_PAGE = 1000;

/** What happened to the containers of a user, or to one of them (docs/openapi.yaml, listEvents, listContainerEvents). */
export function createEventList(containerId?: string): ListDefinition {
	const folder = containerId === undefined ? [] : ['containers', containerId];
	return {
		segments: [...folder, 'events'],
		containerId,
		expected: 'events with an id',
		getIdentity: ({ id }) => ({ id: id === undefined ? undefined : String(id) }),
	};
}

export function toEventItem(event: IDataObject): IDataObject {
	return withContainerId(String(event.container_id), event);
}

/** @throws UserError where the `features` of the service lack its events */
export async function assertEvents(client: Client): Promise<void> {
	const { features } = await client.getCurrentUser();
	if (features.includes('events')) return;
	throw new UserError("The service doesn't tell who opens containers", {
		description:
			'Container Opened, Access Refused and Get Activity need a service that lists its events: its response to GET /me has "events" in "features". Ask the operator of the service for a version that does.',
	});
}
