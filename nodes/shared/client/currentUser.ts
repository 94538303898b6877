import type { IDataObject } from 'n8n-workflow';

import type { RequestFailure } from '../errors/failure';
import { isPathSegment } from './path';

/** The user of an API key. */
export interface CurrentUser {
	id: string;
	/** What the service supports beside the rest of its API: `etag`, `idempotency_key`, `events`. */
	features: string[];
}

/** How long a user is known, in milliseconds: the key can be given to another one. */
const MAX_AGE = 600_000;

/** By the key of a client. */
const known = new Map<string, { user: CurrentUser; until: number }>();

/** The user that was found last, or the one in a response of GET /me (docs/openapi.yaml). */
export async function recallUser(key: string, request: () => Promise<IDataObject>) {
	const last = known.get(key);
	if (last !== undefined && last.until > Date.now()) return last.user;
	const { id, features } = await request();
	const user = { id: String(id), features: Array.isArray(features) ? features.map(String) : [] };
	known.set(key, { user, until: Date.now() + MAX_AGE });
	return user;
}

/** The failure of a response of GET /me that names no user. */
export function checkUser({ id }: IDataObject): RequestFailure | undefined {
	if (typeof id === 'number' || (typeof id === 'string' && isPathSegment(id))) return undefined;
	const received = 'a JSON object without an id that can be used';
	return { kind: 'unexpected', expected: 'a user with an id', received };
}
