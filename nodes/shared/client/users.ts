import { createHmac, randomBytes } from 'crypto';

import type { Connection } from './connection';
import { RecentValues } from './recentValues';

/** Milliseconds after which the user is asked for again: a key can be given to another one. */
const MAX_AGE = 600_000;

const salt = randomBytes(32);
const knownUsers = new RecentValues<string>(MAX_AGE);

/** What stands for a connection where the key itself must not be stored: a salted hash. */
export function getConnectionKey({ baseUrl, apiKey }: Connection): string {
	return createHmac('sha256', salt)
		.update(JSON.stringify([baseUrl, apiKey]))
		.digest('base64');
}

/** The ID of the API key's user, if this process asked for it lately. */
export function getKnownUser(connection: Connection): string | undefined {
	return knownUsers.get(getConnectionKey(connection));
}

export function rememberUser(connection: Connection, id: string): void {
	knownUsers.set(getConnectionKey(connection), id, id.length * 2);
}

export function forgetUser(connection: Connection): void {
	knownUsers.delete(getConnectionKey(connection));
}
