import type { Client } from '../client/client';
import { covers, isWildcard, toAddressKey } from '../parameters/addresses';
import type { QueryParameters } from '../parameters/requests';
import { SET_FOR_PAGES } from '../parameters/requests';
import { hasFeature } from './features';
import { CONTAINER_LIST, type ListDefinition } from './lists';

const PARAMETER = 'recipient';

/** What the node sets in the query of a list by recipient. */
export const SET_FOR_RECIPIENT = [...SET_FOR_PAGES, PARAMETER];

/** A list by recipient (docs/openapi.yaml, listContainers). Each entry says what matched: so the service did filter it. */
export const CONTAINERS_BY_RECIPIENT: ListDefinition = {
	...CONTAINER_LIST,
	expected: 'containers with a uuid and "matched"',
	missing: 'them',
	getIdentity: (record) =>
		Array.isArray(record.matched) ? CONTAINER_LIST.getIdentity(record) : {},
};

/** Whether the service finds containers by their recipients. */
export async function findsRecipients(client: Client): Promise<boolean> {
	return await hasFeature(client, 'recipient_filter');
}

/** Only the containers that an address can open, or that have a wildcard. */
export function toRecipientQuery(query: QueryParameters, recipient: string): QueryParameters {
	return [...query, [PARAMETER, recipient]];
}

/** The recipients of a container that name an address, itself or by a wildcard, or that are the same wildcard. */
export function listMatched(recipients: string[], recipient: string): string[] {
	const key = toAddressKey(recipient);
	if (isWildcard(key)) return recipients.filter((entry) => toAddressKey(entry) === key);
	return recipients.filter((entry) => covers([entry])(key));
}
