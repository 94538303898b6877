import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Redactor } from '../responses/redact';
import type { Caller, RateLimit } from './client';
import { ServiceClient } from './client';
import type { Connection } from './connection';
import { getConnection } from './connection';
import { fetchCurrentUser, forgetUser, getKnownUser } from './currentUser';
import type { Limiter } from './limiter';
import { buildPath } from './path';

/** What all requests with one credential share: the connection, the queue of requests, the current user. */
export class Session {
	private readonly redactor: Redactor;

	private currentUser?: Promise<string>;

	/** The user as an earlier execution found it; the key may belong to another one by now. */
	private rememberedUser?: string;

	private renewal?: Promise<string>;

	private readonly rateLimit: RateLimit = {};

	constructor(
		readonly connection: Connection,
		readonly limiter: Limiter,
	) {
		this.redactor = new Redactor([connection.apiKey]);
	}

	/** Creates the client of one item, poll or picker; it also redacts the sensitive values. */
	createClient(caller: Caller, sensitiveValues: string[] = []): ServiceClient {
		const { connection, limiter, rateLimit } = this;
		const redactor = this.redactor.extend(sensitiveValues);
		const users = caller.keepsUser ? undefined : this;
		return new ServiceClient({ ...caller, connection, limiter, redactor, rateLimit, users });
	}

	/**
	 * @returns the ID of the API key's user
	 * @throws NodeApiError when GET /me does not return a user
	 */
	async getCurrentUser(client: ServiceClient): Promise<string> {
		if (this.currentUser === undefined) {
			this.rememberedUser = getKnownUser(this.connection);
			this.currentUser =
				this.rememberedUser === undefined
					? fetchCurrentUser(this.connection, client)
					: Promise.resolve(this.rememberedUser);
		}
		return await this.currentUser;
	}

	/**
	 * Asks once for the user that the API key has now, where a URL contains the remembered one.
	 *
	 * @returns the URL with that user, or undefined where it is still the same, or not known
	 */
	async renewUser(url: string, client: ServiceClient): Promise<string | undefined> {
		const { connection, rememberedUser } = this;
		if (rememberedUser === undefined || !url.startsWith(this.getUrl(rememberedUser))) {
			return undefined;
		}
		if (this.renewal === undefined) {
			forgetUser(connection);
			this.renewal = fetchCurrentUser(connection, client, true);
			this.currentUser = this.renewal;
		}
		// The refusal that led here says more than a failure to ask for the user.
		const user = await this.renewal.catch(() => rememberedUser);
		if (user === rememberedUser) return undefined;
		return this.getUrl(user) + url.slice(this.getUrl(rememberedUser).length);
	}

	/** Lets the next execution or poll ask for the user again. */
	forgetUser(): void {
		forgetUser(this.connection);
	}

	private getUrl(userId: string): string {
		return `${this.connection.baseUrl}${buildPath(['users', userId])}/`;
	}
}

/** @throws UserError when the credential's base URL can't be used */
export async function createSession(
	context: { getCredentials(type: string): Promise<ICredentialDataDecryptedObject> },
	limiter: Limiter,
): Promise<Session> {
	return new Session(await getConnection(context), limiter);
}
