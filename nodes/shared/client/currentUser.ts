import { createHmac, randomBytes } from 'crypto';

import type { ServiceClient } from './client';
import type { Connection } from './connection';

export interface CurrentUser {
	id: string;
}

/** Bounds the memory for an n8n that serves many keys. */
const MAX_KNOWN_USERS = 1000;

const salt = randomBytes(32);
const knownUsers = new Map<string, CurrentUser>();

/**
 * Returns the user of the API key (docs/openapi.yaml, getMe), fetched once per process. The key is stored only as a
 * salted hash.
 *
 * @throws NodeApiError when GET /me does not return a user; the next call fetches it again
 */
export async function getCurrentUser(
	{ baseUrl, apiKey }: Connection,
	client: ServiceClient,
): Promise<CurrentUser> {
	const key = createHmac('sha256', salt)
		.update(JSON.stringify([baseUrl, apiKey]))
		.digest('base64');
	const known = knownUsers.get(key);
	if (known !== undefined) return known;
	const user = await fetchCurrentUser(client);
	if (knownUsers.size >= MAX_KNOWN_USERS) knownUsers.delete(knownUsers.keys().next().value ?? '');
	knownUsers.set(key, user);
	return user;
}

async function fetchCurrentUser(client: ServiceClient): Promise<CurrentUser> {
	const request = { method: 'GET' as const, path: '/me', action: 'find the user of the API key' };
	const { id } = await client.requestObject(request);
	if ((typeof id !== 'string' && typeof id !== 'number') || id === '') {
		throw client.createError(request, {
			kind: 'unexpected',
			expected: 'a user with an id',
			received: 'a JSON object without an id',
		});
	}
	return { id: String(id) };
}
