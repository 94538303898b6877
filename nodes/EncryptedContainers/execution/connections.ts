import { ServiceClient } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { addAdvice } from '../../shared/errors/nodeErrors';
import type { Redactor } from '../../shared/responses/redact';
import type { Item } from './item';
import { Call, type RunServices } from './operation';

/** The clients of an execution: a field of a credential can be an expression, so each item can have another. */
export class Connections {
	private readonly limiters = new Map<string, Limiter>();
	/** Items with the same credential and settings share one. */
	private readonly clients = new Map<string, ServiceClient>();
	private readonly calls = new WeakMap<Item, Call>();

	constructor(private readonly run: RunServices) {}

	/** Why the execution took long, if the service asked for pauses. */
	getPauseHint(): string | undefined {
		const heldBack = [...this.limiters.values()].map((limiter) => limiter.heldBack);
		const seconds = Math.round(Math.max(0, ...heldBack) / 1000);
		return seconds < 1
			? undefined
			: `The service's rate limit held the node back for ${seconds} s.`;
	}

	/** @throws UserError for a credential that can't be used */
	async connect(item: Item): Promise<Call> {
		const call = this.calls.get(item) ?? new Call(item, this.run, await this.getClient(item));
		this.calls.set(item, call);
		return call;
	}

	/** Hides the secrets of an item, once it is connected. */
	getRedactor(item: Item): Redactor | undefined {
		return this.calls.get(item)?.redactor;
	}

	private async getClient({ host, index, settings }: Item): Promise<ServiceClient> {
		const { context } = host;
		const getCredentials = async () =>
			await host.getCredential(index).catch((error: Error) => {
				// Of an expression in the credential that fails, n8n doesn't say where it is.
				throw addAdvice(error, 'Check the credential, and the expressions in it.');
			});
		const connection = await getConnection({ getCredentials });
		const { maxConcurrent: concurrency, maxRetries, responseTimeout, requestOptions } = settings;
		const own = { connection, maxRetries, responseTimeout, requestOptions };
		const [credentialKey, key] = [connection, own].map((value) => JSON.stringify(value));
		const { signal } = this.run;
		const limiter =
			this.limiters.get(credentialKey) ?? new Limiter({ connection, concurrency, signal });
		this.limiters.set(credentialKey, limiter);
		const cancelled = context.getExecutionCancelSignal();
		const client =
			this.clients.get(key) ?? new ServiceClient({ ...own, limiter, context, cancelled });
		this.clients.set(key, client);
		return client;
	}
}
