import { ServiceClient } from '../../shared/client/client';
import { getConnection, type Connection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import type { Redactor } from '../../shared/responses/redact';
import type { Host } from './host';
import type { Item } from './item';
import { Call, type RunServices } from './operation';

/** A shorter pause nobody notices, in milliseconds. */
const MIN_HELD_BACK = 1000;

interface Known {
	connection: Connection;
	limiter: Limiter;
	/** By the settings of items. */
	clients: Map<string, ServiceClient>;
}

/** The clients of an execution: a field of a credential can be an expression, so each item can have another. */
export class Connections {
	private readonly known = new Map<string, Known>();
	private readonly calls = new WeakMap<Item, Call>();

	constructor(
		private readonly host: Host,
		private readonly run: RunServices,
	) {}

	/** What a person might want to know of the waiting. */
	listHints(): string[] {
		const limiters = [...this.known.values()].map(({ limiter }) => limiter);
		const heldBack = Math.max(0, ...limiters.map((limiter) => limiter.heldBack));
		const retries = limiters.reduce((sum, limiter) => sum + limiter.retries, 0);
		const seconds = Math.round(heldBack / 1000);
		return [
			heldBack >= MIN_HELD_BACK && `The service's rate limit held the node back for ${seconds} s.`,
			retries > 0 && `Requests sent again after an outage: ${retries}.`,
		].filter((hint) => hint !== false);
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

	/** Items with the same credential and settings share one. */
	private async getClient({ index, settings }: Item): Promise<ServiceClient> {
		const { context } = this.host;
		const { connection, limiter, clients } = await this.getKnown(index, settings.maxConcurrent);
		const { maxRetries, responseTimeout, requestOptions } = settings;
		const own = { maxRetries, responseTimeout, requestOptions };
		const key = JSON.stringify(own);
		const cancelled = context.getExecutionCancelSignal();
		const create = () => new ServiceClient({ connection, limiter, context, cancelled, ...own });
		const client = clients.get(key) ?? create();
		clients.set(key, client);
		return client;
	}

	private async getKnown(index: number, concurrency: number): Promise<Known> {
		// Of an expression in the credential that fails, n8n doesn't say where it is.
		const advise = (error: Error & { description?: string | null }) => {
			const texts = [error.description, 'Check the credential, and the expressions in it.'];
			throw Object.assign(error, { description: texts.filter(Boolean).join(' ') });
		};
		const getCredentials = async () => await this.host.getCredential(index).catch(advise);
		const connection = await getConnection({ getCredentials });
		const key = JSON.stringify(connection);
		const { signal } = this.run;
		const create = () => ({
			connection,
			limiter: new Limiter({ connection, concurrency, signal }),
			clients: new Map<string, ServiceClient>(),
		});
		const known = this.known.get(key) ?? create();
		this.known.set(key, known);
		return known;
	}
}
