import type { IDataObject } from 'n8n-workflow';

import { buildPath } from './path';

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

export function recallUser(key: string): CurrentUser | undefined {
	const { user, until = 0 } = known.get(key) ?? {};
	return until > Date.now() ? user : undefined;
}

export function rememberUser(key: string, user: CurrentUser): void {
	for (const [other, { until }] of known) if (until <= Date.now()) known.delete(other);
	known.set(key, { user, until: Date.now() + MAX_AGE });
}

/** Parses the response of GET /me (docs/openapi.yaml). @throws UserError for an ID that can't be used */
export function parseUser({ id, features }: IDataObject): CurrentUser | undefined {
	const text = typeof id === 'number' || typeof id === 'string' ? String(id) : '';
	if (text === '') return undefined;
	buildPath([text]);
	return { id: text, features: Array.isArray(features) ? features.map(String) : [] };
}
