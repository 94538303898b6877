import { createHmac, randomBytes } from 'crypto';

import type { ServiceClient } from './client';
import type { Connection } from './connection';

/** Bounds the memory for an n8n that serves many keys. */
const MAX_KNOWN_USERS = 1000;

/** Milliseconds after which the user is asked for again: a key can be given to another one. */
const MAX_AGE = 600_000;

const salt = randomBytes(32);
const knownUsers = new Map<string, { id: string; until: number }>();

/** The ID of the API key's user, if this process asked for it lately. */
export function getKnownUser(connection: Connection): string | undefined {
	const known = knownUsers.get(getKey(connection));
	return known !== undefined && Date.now() < known.until ? known.id : undefined;
}

export function forgetUser(connection: Connection): void {
	knownUsers.delete(getKey(connection));
}

/**
 * Fetches the ID of the API key's user (docs/openapi.yaml, getMe), and remembers it.
 *
 * @param hasSlot whether a request that has a slot waits for it
 * @throws NodeApiError when GET /me does not return a user
 */
export async function fetchCurrentUser(
	connection: Connection,
	client: ServiceClient,
	hasSlot?: boolean,
): Promise<string> {
	const id = await fetchUserId(client, hasSlot);
	const [oldest] = knownUsers.keys();
	if (knownUsers.size >= MAX_KNOWN_USERS) knownUsers.delete(oldest);
	knownUsers.set(getKey(connection), { id, until: Date.now() + MAX_AGE });
	return id;
}

/** The key is stored only as a salted hash. */
function getKey({ baseUrl, apiKey }: Connection): string {
	return createHmac('sha256', salt)
		.update(JSON.stringify([baseUrl, apiKey]))
		.digest('base64');
}

async function fetchUserId(client: ServiceClient, hasSlot?: boolean): Promise<string> {
	const action = 'find the user of the API key';
	const request = { method: 'GET' as const, path: '/me', action, hasSlot };
	const { id } = await client.requestObject(request);
	if (typeof id === 'number' || (typeof id === 'string' && id !== '')) return String(id);
	throw client.createError(request, {
		kind: 'unexpected',
		expected: 'a user with an id',
		received: 'a JSON object without an id',
	});
}
