import { randomUUID } from 'crypto';
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IHttpRequestMethods,
	INode,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { Client } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { waitFor } from '../../shared/client/delay';
import { Limiter } from '../../shared/client/limiter';
import { extendError } from '../../shared/errors/errors';
import type { readLimits } from '../../shared/parameters/requests';
import type { parseRequestOptions } from '../parameters/requestOptions';

/** One endpoint of docs/openapi.yaml. A parameter in its path has the name of its field: `/containers/{containerId}`. */
export interface Endpoint {
	method: IHttpRequestMethods;
	path: string;
}

/** What n8n offers an operation in both ways to run it. */
export interface Host {
	context: IExecuteFunctions | IExecutePaginationFunctions;
	/** One copy: n8n makes a new one for each call of getNode. */
	node: INode;
	items: Map<number, INodeExecutionData>;
	/** The same object in each try (Retry On Fail). */
	tryKey: object;
	/** Whether an agent calls the node by itself, with one item and without n8n's engine. */
	isCalledByAgent: boolean;
	/** Whether n8n's RoutingNode runs the node: it adds all parameters, a password included, to any error but a NodeApiError. */
	isRouted: boolean;
	getParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
	/** A field of it can be an expression. */
	getCredential(itemIndex: number): Promise<ICredentialDataDecryptedObject>;
	addHint(message: string): void;
}

type Settings = ReturnType<typeof readLimits> & ReturnType<typeof parseRequestOptions>;

/** What the items of one execution of the node share. */
export class Execution {
	readonly tries;
	failedJobs = 0;
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
				throw extendError(error, { advice: 'Check the credential, and the expressions in it.' });
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

export class ItemState {
	/** What the item changed, by the ID of the container, also in an earlier try, and even if the response was lost. */
	readonly sent = new Map<string, unknown>();
	/** Of the one container that the item creates: random, so that no other upload of any n8n has it. */
	readonly idempotencyKey = randomUUID();
	/** Of a failed request that might have been carried out: what it creates, and whether the service recognizes it. */
	doubt?: { created?: string; isRecognized?: boolean };
	private error?: Error;

	/** @returns the error to show: that of the request which might have been carried out matters more than a later one */
	keepError(error: Error): Error {
		const { error: first } = this;
		if (this.doubt !== undefined) this.error ??= error;
		return first ? extendError(first, { advice: `In a later try: ${error.message}.` }) : error;
	}
}

/** What the tries of one execution of the node share: with Retry On Fail, n8n executes it again for all items. */
class Tries {
	readonly created: string[] = [];
	/** Of the jobs that are done. */
	readonly outputs = new Map<string, INodeExecutionData[]>();
	count = 0;
	private readonly results = new Map<string, Promise<unknown>>();
	private readonly failed = new Set<string>();
	private readonly states: Array<ItemState | undefined> = [];

	begin(): void {
		this.count += 1;
		for (const key of this.failed) this.results.delete(key);
		this.failed.clear();
	}

	/** What was or might have been created, with what to do about it, since an execution that stops returns no items. */
	describeCreated(): string {
		const created = this.created.join(', ');
		const inDoubt = this.states.flatMap((state) => state?.doubt?.created ?? []).join(', ');
		const advice = 'Look for them before you run the workflow again.';
		const texts = [
			created && `Created before the execution stopped: ${created}.`,
			inDoubt && `Might have been created: ${inDoubt}. ${advice}`,
		];
		return texts.filter(Boolean).join(' ');
	}

	/** Runs a task once for all items, and shares its result. A failure is shared until the next try. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		const result = (this.results.get(key) as Promise<T> | undefined) ?? task();
		this.results.set(key, result);
		result.catch(() => this.failed.add(key));
		return await result;
	}

	getState(itemIndex: number): ItemState {
		return (this.states[itemIndex] ??= new ItemState());
	}
}

const triesByKey = new WeakMap<object, Tries>();

function getTries(key: object): Tries {
	const tries = triesByKey.get(key) ?? new Tries();
	triesByKey.set(key, tries);
	return tries;
}

/** What waits in the line of each key, in all executions of this process, until the last one has left. */
const lines = new Map<string, Promise<void>>();

/** Waits for all that entered with the same key before. @returns leaves again @throws the reason of the signal */
export async function enter(key: string, signal: AbortSignal): Promise<() => void> {
	const previous = lines.get(key) ?? Promise.resolve();
	let leave: () => void = () => undefined;
	const isLeft = new Promise<void>((resolve) => (leave = resolve));
	// Whoever gives up waiting leaves, but those behind still wait for those before.
	const last = Promise.all([previous, isLeft]).then(() => undefined);
	lines.set(key, last);
	void last.then(() => lines.get(key) === last && lines.delete(key));
	await waitFor(previous, signal).catch((error: unknown) => {
		leave();
		throw error;
	});
	return leave;
}
