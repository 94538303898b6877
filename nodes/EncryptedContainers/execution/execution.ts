import type { INodeProperties } from 'n8n-workflow';

import { Client } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import type { Endpoint } from '../../shared/client/endpoints';
import { Limiter } from '../../shared/client/limiter';
import { extendError } from '../../shared/errors/errors';
import type { readLimits } from '../../shared/parameters/requests';
import type { parseRequestOptions } from '../parameters/requestOptions';
import type { Host } from './host';
import { getRetryMemory } from './retryMemory';

export type RequestSettings = ReturnType<typeof readLimits> &
	ReturnType<typeof parseRequestOptions>;

/** What an execution needs of an operation. */
interface Declaration {
	/** The first is the one that the operation is for. */
	requests: Endpoint[];
	pathFields?: INodeProperties[];
	fields?: INodeProperties[];
	/** Seconds that a whole response can take, where it is another number than usual. */
	responseTimeout?: number;
}

/** What the items of one execution of the node share. */
export class Execution {
	readonly memory;
	failedJobs = 0;
	/** Ends waiting. Requests in flight end by themselves, or n8n aborts them when the execution is canceled. */
	readonly signal;
	readonly canceled;
	readonly hints = new Set<string>();
	private readonly ending = new AbortController();
	private readonly clients = new Map<string, Client>();

	constructor(
		readonly host: Host,
		readonly operation: Declaration,
	) {
		this.memory = getRetryMemory(host.tryKey);
		this.canceled = host.context.getExecutionCancelSignal() ?? new AbortController().signal;
		this.signal = AbortSignal.any([this.ending.signal, this.canceled]);
	}

	/** Nothing is sent after it, whatever still waits. */
	end(error?: Error): void {
		this.ending.abort(error);
	}

	/** Whether the execution ended with this error. */
	isEndedBy(error: unknown): boolean {
		return this.ending.signal.aborted && this.ending.signal.reason === error;
	}

	addHint(message: string): void {
		this.hints.add(message);
	}

	evaluate(path: string, itemIndex: number, fallback: unknown): unknown {
		try {
			return this.host.getParameter(path, itemIndex, fallback);
		} catch (error) {
			// n8n often doesn't say where an expression is.
			const advice = `Correct the expression in "${this.getLabel(path)}".`;
			throw extendError(error as Error, { advice });
		}
	}

	getLabel(path: string): string {
		const name = path.split('.').at(-1) ?? '';
		const { fields = [] } = this.operation;
		const all = fields.flatMap((field) => [field, ...(field.options ?? [])]);
		const found = all.find((field) => field.name === name);
		return found && 'displayName' in found ? found.displayName : name;
	}

	/** One client for all items with the same credential and settings. @throws UserError for a credential that can't be used */
	async connect(itemIndex: number, settings: RequestSettings): Promise<Client> {
		const { host, signal, canceled, clients } = this;
		const getCredentials = async () =>
			await host.getCredential(itemIndex).catch((error: Error) => {
				// Of an expression in the credential that fails, n8n doesn't say where it is.
				throw extendError(error, { advice: 'Check the credential, and the expressions in it.' });
			});
		const connection = await getConnection({ getCredentials });
		const { maxConcurrent, maxRetries, responseTimeout, requestOptions } = settings;
		const own = { connection, maxRetries, responseTimeout, requestOptions };
		const key = JSON.stringify(own);
		const known = clients.get(key);
		if (known !== undefined) return known;
		const limiter = new Limiter(connection.key, maxConcurrent, signal);
		const client = new Client({ ...own, limiter, context: host.context, canceled });
		clients.set(key, client);
		return client;
	}
}
