import { createHmac, randomBytes } from 'crypto';

import type { Call } from './operation';

/** Bounds the memory for an n8n that serves many keys. */
const MOST_KNOWN = 1000;

const salt = randomBytes(32);
const knownUsers = new Map<string, string>();

/**
 * Answers the identifier of the API key's own user, asked for with GET /me once a run and kept for the next runs of
 * this process. The key itself is not kept: what is remembered is found again by a salted digest.
 *
 * @param call the item's means of sending
 * @returns the user's identifier, for `{userId}` in a route (service-api.md, User)
 * @throws NodeApiError when GET /me does not answer a user; that is not remembered
 */
export async function ownUserId(
	call: Pick<Call, 'run' | 'client' | 'baseUrl' | 'apiKey'>,
): Promise<string> {
	const fingerprint = createHmac('sha256', salt)
		.update(JSON.stringify([call.baseUrl, call.apiKey]))
		.digest('base64');
	const known = knownUsers.get(fingerprint);
	if (known !== undefined) return known;
	return await call.run.once('user', async () => {
		const request = { method: 'GET' as const, path: '/me', action: 'find the user of the API key' };
		const { id } = await call.client.record(request);
		if ((typeof id !== 'string' && typeof id !== 'number') || id === '') {
			throw call.client.failure(request, {
				kind: 'unexpected',
				expected: 'a user with an id',
				got: 'a JSON object without one',
			});
		}
		if (knownUsers.size >= MOST_KNOWN) knownUsers.delete(knownUsers.keys().next().value ?? '');
		knownUsers.set(fingerprint, String(id));
		return String(id);
	});
}
