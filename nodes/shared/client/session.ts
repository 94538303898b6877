import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Redactor } from '../responses/redact';
import type { Caller, RateLimit } from './client';
import { ServiceClient } from './client';
import type { Connection } from './connection';
import { getConnection } from './connection';
import type { CurrentUser } from './currentUser';
import { getCurrentUser } from './currentUser';
import type { Limiter } from './limiter';

/** What all requests with one credential share: the connection, the queue of requests, the current user. */
export class Session {
	private readonly redactor: Redactor;

	private currentUser?: Promise<CurrentUser>;

	private readonly rateLimit: RateLimit = { until: 0 };

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
		return new ServiceClient({ ...caller, connection, limiter, redactor, rateLimit });
	}

	/** @throws NodeApiError when GET /me does not return a user */
	async getCurrentUser(client: ServiceClient): Promise<CurrentUser> {
		this.currentUser ??= getCurrentUser(this.connection, client);
		return await this.currentUser;
	}
}

/** @throws UserError when the credential's base URL can't be used */
export async function createSession(
	context: { getCredentials(type: string): Promise<ICredentialDataDecryptedObject> },
	limiter: Limiter,
): Promise<Session> {
	return new Session(await getConnection(context), limiter);
}
