import type { IDataObject } from 'n8n-workflow';

import type { Expectation } from './accept';

/** The user of an API key. */
export interface CurrentUser {
	id: string;
	/** What the service supports beside the rest of its API: `etag`, `idempotency_key`, `events`. */
	features: string[];
}

export const USER: Expectation = {
	what: 'a user with an id',
	isIn: ({ id }) => typeof id === 'number' || (typeof id === 'string' && id !== ''),
};

/** How long a user is known, in milliseconds: the key can be given to another one. */
const MAX_AGE = 600_000;

/** By the key of a connection. */
const known = new Map<string, { user: CurrentUser; until: number }>();

/** The user that was found last, or the one in a response of GET /me. */
export async function recallUser(key: string, request: () => Promise<{ object: IDataObject }>) {
	const last = known.get(key);
	if (last !== undefined && last.until > Date.now()) return last.user;
	const { id, features } = (await request()).object;
	const user = { id: String(id), features: Array.isArray(features) ? features.map(String) : [] };
	known.set(key, { user, until: Date.now() + MAX_AGE });
	return user;
}
