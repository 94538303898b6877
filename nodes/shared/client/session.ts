import type { IAllExecuteFunctions, ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { Redactor } from '../responses/redact';
import { ServiceClient } from './client';
import type { Connection } from './connect';
import { readConnection } from './connect';
import { Limiter } from './limiter';
import type { CurrentUser } from './currentUser';
import { getCurrentUser } from './currentUser';

/** The service as it is reached outside of a run with items: for a list to choose from, or a poll. */
export interface Service {
	client: ServiceClient;
	connection: Connection;
	limiter: Limiter;
}

/** How patient the requests are. */
export interface Patience {
	maxConcurrent: number;
	maxRetries: number;
	/** Milliseconds without a sign of life after which a request is given up. */
	timeout: number;
}

type Context = Pick<IAllExecuteFunctions, 'helpers'> & {
	getNode(): INode;
	getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
};

/**
 * Makes ready for requests from a context without items.
 *
 * @param context the editor's request, or the poll
 * @param patience how many requests at a time, how often again, how long
 * @returns what sends
 * @throws UserError when the credential's base URL cannot be used
 */
export async function reachService(
	context: Context,
	{ maxConcurrent, maxRetries, timeout }: Patience,
): Promise<Service> {
	const connection = await readConnection(context);
	const limiter = new Limiter(maxConcurrent);
	const client = new ServiceClient({
		context,
		connection,
		secrets: new Redactor([connection.apiKey]),
		limiter,
		turn: 0,
		maxRetries,
		requestOptions: { timeout },
	});
	return { client, connection, limiter };
}

/**
 * The user of the API key, asked for once a process.
 *
 * @param service what sends
 * @throws NodeApiError when GET /me does not answer a user
 */
export async function ownUserOf({ client, connection }: Service): Promise<CurrentUser> {
	return await getCurrentUser({
		client,
		connection,
		run: { once: async (_key, task) => await task() },
	});
}
