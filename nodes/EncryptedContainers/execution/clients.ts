import { Client } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { withAdvice } from '../../shared/errors/serviceError';
import type { Item } from './item';

/** The clients of an execution: items with the same credential and settings share one. */
export class Clients {
	private readonly clients = new Map<string, Client>();

	constructor(private readonly signal: AbortSignal) {}

	/** @throws UserError for a credential that can't be used */
	async get({ host, index, settings }: Item): Promise<Client> {
		const { context } = host;
		const getCredentials = async () =>
			await host.getCredential(index).catch((error: Error) => {
				// Of an expression in the credential that fails, n8n doesn't say where it is.
				throw withAdvice(error, 'Check the credential, and the expressions in it.');
			});
		const connection = await getConnection({ getCredentials });
		const { maxConcurrent: concurrency, maxRetries, responseTimeout, requestOptions } = settings;
		const own = { connection, maxRetries, responseTimeout, requestOptions };
		const key = JSON.stringify(own);
		const known = this.clients.get(key);
		if (known !== undefined) return known;
		const limiter = new Limiter({ connection, concurrency, signal: this.signal });
		const cancelled = context.getExecutionCancelSignal();
		const client = new Client({ ...own, limiter, context, cancelled });
		this.clients.set(key, client);
		return client;
	}
}
