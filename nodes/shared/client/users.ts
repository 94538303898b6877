import { createHmac, randomBytes } from 'crypto';

import type { Connection } from './connection';

/** Bounds the memory for an n8n that serves many keys. */
const MAX_KNOWN_USERS = 1000;

/** Milliseconds after which the user is asked for again: a key can be given to another one. */
const MAX_AGE = 600_000;

const salt = randomBytes(32);
const knownUsers = new Map<string, { id: string; until: number }>();

/** What stands for a connection where the key itself must not be stored: a salted hash. */
export function getConnectionKey({ baseUrl, apiKey }: Connection): string {
	return createHmac('sha256', salt)
		.update(JSON.stringify([baseUrl, apiKey]))
		.digest('base64');
}

/** The ID of the API key's user, if this process asked for it lately. */
export function getKnownUser(connection: Connection): string | undefined {
	const known = knownUsers.get(getConnectionKey(connection));
	return known !== undefined && Date.now() < known.until ? known.id : undefined;
}

export function rememberUser(connection: Connection, id: string): void {
	for (const [key, { until }] of knownUsers) {
		if (until > Date.now() && knownUsers.size < MAX_KNOWN_USERS) break;
		knownUsers.delete(key);
	}
	knownUsers.delete(getConnectionKey(connection));
	knownUsers.set(getConnectionKey(connection), { id, until: Date.now() + MAX_AGE });
}

export function forgetUser(connection: Connection): void {
	knownUsers.delete(getConnectionKey(connection));
}
