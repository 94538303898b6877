import { createHmac, randomBytes } from 'crypto';

import { Redactor } from '../responses/redact';
import { ServiceClient, type ClientSettings } from './client';
import type { Connection } from './connection';
import type { Pace } from './pace';
import { buildPath } from './path';
import { RecentValues } from './recentValues';

const salt = randomBytes(32);

interface CurrentUser {
	id: string;
	/** What the service supports beside the rest of its API: `etag`, `idempotency_key`, `events`. */
	features: string[];
}

/** The users of keys, for ten minutes: a key can be given to another one. */
const knownUsers = new RecentValues<CurrentUser>(600_000);

export class Session {
	/** What stands for the connection where the key itself must not be stored: a salted hash. */
	readonly key: string;
	private readonly redactor: Redactor;
	private currentUser?: Promise<CurrentUser>;

	constructor(
		readonly connection: Connection,
		readonly pace: Pace,
	) {
		const { baseUrl, apiKey } = connection;
		const text = JSON.stringify([baseUrl, apiKey]);
		this.key = createHmac('sha256', salt).update(text).digest('base64');
		this.redactor = new Redactor([apiKey]);
	}

	/** For one item, poll or picker. */
	createClient(settings: ClientSettings, sensitiveValues: string[] = []): ServiceClient {
		return new ServiceClient({
			...settings,
			connection: this.connection,
			pace: this.pace,
			redactor: this.redactor.extend(sensitiveValues),
			// The next execution or poll asks for the user again: the key may belong to another one by now.
			onRefusal: () => knownUsers.delete(this.key),
		});
	}

	/** @throws NodeApiError when GET /me does not return a user */
	async getCurrentUser(client: ServiceClient): Promise<CurrentUser> {
		this.currentUser ??= this.fetchUser(client);
		return await this.currentUser;
	}

	/** docs/openapi.yaml, getMe */
	private async fetchUser(client: ServiceClient): Promise<CurrentUser> {
		const known = knownUsers.get(this.key);
		if (known !== undefined) return known;
		const request = { method: 'GET' as const, path: '/me', action: 'find the user of the API key' };
		const { id, features } = await client.requestObject(request);
		const text = typeof id === 'number' || typeof id === 'string' ? String(id) : '';
		if (text === '') {
			const received = 'a JSON object without an id';
			const failure = { kind: 'unexpected', expected: 'a user with an id', received } as const;
			throw client.createError(request, failure);
		}
		// One that can't be used must not be remembered.
		buildPath([text]);
		const listed = Array.isArray(features) ? features.map(String) : [];
		const user = { id: text, features: listed };
		knownUsers.set(this.key, user, JSON.stringify(user).length * 2);
		return user;
	}
}
