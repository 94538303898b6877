import { createHmac, randomBytes } from 'crypto';

import type { ServiceClient } from './client';
import type { Connection } from './connect';
import type { Run } from '../../EncryptedContainers/execution/runContext';

/** The user of an API key, as far as it is needed here. */
export interface CurrentUser {
	id: string;
	/** Address by which a person recognises the user; missing when the service does not tell it. */
	email?: string;
}

/** Bounds the memory for an n8n that serves many keys. */
const MAX_KNOWN = 1000;

const salt = randomBytes(32);
const knownUsers = new Map<string, CurrentUser>();

/**
 * Answers the user of the API key, asked for with GET /me once a run and kept for the next runs of this process.
 * The key itself is not kept: what is remembered is found again by a salted digest.
 *
 * @param call the connection, what sends, and the run within which a question is asked once
 * @returns the user, whose identifier fills `{userId}` in a route (service-api.md, User)
 * @throws NodeApiError when GET /me does not answer a user; that is not remembered
 */
export async function getCurrentUser(call: {
	connection: Connection;
	client: ServiceClient;
	run: Pick<Run, 'once'>;
}): Promise<CurrentUser> {
	const { connection, client, run } = call;
	return await run.once('user', async () => {
		const fingerprint = fingerprintOf(connection);
		const known = knownUsers.get(fingerprint);
		if (known !== undefined) return known;
		const user = await fetchCurrentUser(client);
		if (knownUsers.size >= MAX_KNOWN) knownUsers.delete(knownUsers.keys().next().value ?? '');
		knownUsers.set(fingerprint, user);
		return user;
	});
}

function fingerprintOf({ baseUrl, apiKey }: Connection): string {
	return createHmac('sha256', salt)
		.update(JSON.stringify([baseUrl, apiKey]))
		.digest('base64');
}

async function fetchCurrentUser(client: ServiceClient): Promise<CurrentUser> {
	const request = { method: 'GET' as const, path: '/me', action: 'find the user of the API key' };
	const { id, email } = await client.record(request);
	if ((typeof id !== 'string' && typeof id !== 'number') || id === '') {
		throw client.failure(request, {
			kind: 'unexpected',
			expected: 'a user with an id',
			got: 'a JSON object without an id',
		});
	}
	return { id: String(id), ...(typeof email === 'string' && email !== '' ? { email } : {}) };
}
