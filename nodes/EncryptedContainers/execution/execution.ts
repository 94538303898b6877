import type { INodeProperties } from 'n8n-workflow';

import { Client } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { withAdvice } from '../../shared/errors/errors';
import type { getRequestLimits } from '../../shared/parameters/requests';
import type { parseRequestOptions } from '../parameters/requestOptions';
import type { Host } from './host';
import type { Endpoint } from './pathParams';
import { getTries } from './tries';

type Settings = ReturnType<typeof getRequestLimits> & ReturnType<typeof parseRequestOptions>;

/** What the items of one execution of the node share. */
export class Execution {
	readonly tries;
	/** How many jobs failed in this try. */
	failed = 0;
	/** Ends waiting. Requests in flight end by themselves, or n8n aborts them when the execution is canceled. */
	readonly signal;
	/** Aborted with the error that stops the execution. */
	protected readonly ending = new AbortController();
	protected readonly cancelled;
	protected readonly hints = new Set<string>();
	private readonly clients = new Map<string, Client>();

	constructor(
		readonly host: Host,
		readonly endpoint: Endpoint,
		readonly form: { fields?: INodeProperties[]; responseTimeout?: number },
	) {
		this.tries = getTries(host.tryKey);
		this.cancelled = host.context.getExecutionCancelSignal() ?? new AbortController().signal;
		this.signal = AbortSignal.any([this.ending.signal, this.cancelled]);
	}

	addHint(message: string): void {
		this.hints.add(message);
	}

	/** The label of a field of the operation, or of one of its options. */
	getLabel(name: string): string {
		const { fields = [] } = this.form;
		const all = fields.flatMap((field) => [field, ...(field.options ?? [])]);
		const found = all.find((field) => field.name === name);
		return found && 'displayName' in found ? found.displayName : name;
	}

	/** One client for all items with the same credential and settings. @throws UserError for a credential that can't be used */
	async connect(itemIndex: number, settings: Settings): Promise<Client> {
		const { host, signal, cancelled, clients } = this;
		const getCredentials = async () =>
			await host.getCredential(itemIndex).catch((error: Error) => {
				// Of an expression in the credential that fails, n8n doesn't say where it is.
				throw withAdvice(error, 'Check the credential, and the expressions in it.');
			});
		const connection = await getConnection({ getCredentials });
		const { maxConcurrent: concurrency, maxRetries, responseTimeout, requestOptions } = settings;
		const own = { connection, maxRetries, responseTimeout, requestOptions };
		const key = JSON.stringify(own);
		const known = clients.get(key);
		if (known !== undefined) return known;
		const limiter = new Limiter(connection.key, concurrency, signal);
		const client = new Client({ ...own, limiter, context: host.context, cancelled });
		clients.set(key, client);
		return client;
	}
}
