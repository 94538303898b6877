import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { getConnection } from '../../shared/client/connection';
import { Pace } from '../../shared/client/pace';
import { Session } from '../../shared/client/session';
import { takeBreak } from '../../shared/client/takeBreak';
import { CANCELED } from '../../shared/errors/messages';
import type { NodeError } from '../../shared/errors/nodeErrors';
import { createApiError } from '../../shared/errors/nodeErrors';
import { getRequestLimits } from '../../shared/parameters/limits';
import { parseRequestOptions } from '../parameters/requestOptions';
import { Batches } from './batches';
import {
	combineErrors,
	createErrorItem,
	describeCreated,
	toNodeError,
	withCreated,
} from './errorItems';
import type { Host } from './host';
import { logWarning } from './host';
import { Item } from './item';
import { getMemory } from './memory';
import type { Job, Operation, ParsedItem, RunServices } from './operation';
import { Call } from './operation';
import type { Endpoint } from './pathParams';

const MAX_HINTS = 3;

/** How many containers a line of the log names. */
const MAX_LOGGED = 3;

/** A shorter pause nobody notices, in milliseconds. */
const MIN_HELD_BACK = 1000;

/**
 * Runs an operation for all items: parses the parameters of all of them, then sends a few at a time, in input order.
 *
 * @returns the output items in input order, with error items where the node continues on errors
 * @throws NodeApiError or NodeOperationError if it doesn't
 */
export async function runOperation<Input>(
	host: Host,
	endpoint: Endpoint,
	operation: Operation<Input>,
): Promise<INodeExecutionData[]> {
	return await new Run(host, endpoint, operation).execute();
}

const NO_BATCHING = { size: Number.POSITIVE_INFINITY, interval: 0 };

/** Ends what waits after another item stopped the execution. */
class RunStoppedError extends Error {}

class Run<Input> implements RunServices {
	readonly memory;

	readonly signal: AbortSignal;

	/** Ends waiting. Requests in flight end by themselves, or n8n aborts them when the execution is canceled. */
	private readonly ending = new AbortController();

	/** What stopped the execution. */
	private failure?: NodeError;

	/** What failed without stopping the others. */
	private readonly failures: NodeError[] = [];

	private readonly sessions = new Map<string, Session>();

	/** The keys of jobs that ran in this try. */
	private readonly changedKeys = new Set<string>();

	private readonly hints = new Set<string>();

	private readonly calls = new WeakMap<Item, Promise<Call>>();

	private loading: Promise<unknown> = Promise.resolve();

	private parsedSettings?: {
		options: unknown;
		requestOptions: unknown;
		settings: Item['settings'];
	};

	constructor(
		private readonly host: Host,
		private readonly endpoint: Endpoint,
		private readonly operation: Operation<Input>,
	) {
		this.memory = getMemory(host.tryKey);
		this.memory.startTry();
		this.signal = this.ending.signal;
	}

	async execute(): Promise<INodeExecutionData[]> {
		const cancelled = this.host.context.getExecutionCancelSignal();
		const cancel = () => this.ending.abort(cancelled?.reason);
		cancelled?.addEventListener('abort', cancel);
		if (cancelled?.aborted) cancel();
		try {
			const output = await this.runAll();
			if (cancelled?.aborted) this.endCanceled();
			const failure = this.failure ?? combineErrors(this.host.context.getNode(), this.failures);
			if (failure !== undefined) throw withCreated(failure, this.memory);
			this.showHints();
			return output;
		} finally {
			cancelled?.removeEventListener('abort', cancel);
			// Nothing is sent after the end, whatever still waits.
			this.ending.abort(new RunStoppedError());
		}
	}

	addHint(message: string): void {
		this.hints.add(message);
	}

	async connect(item: Item): Promise<Call> {
		const known = this.calls.get(item);
		if (known !== undefined) return await known;
		// One at a time: each credential is a query to n8n's database.
		const call = this.loading.then(async () => await this.createCall(item));
		this.loading = call.catch(() => undefined);
		this.calls.set(item, call);
		return await call;
	}

	createJob(
		{ item, error }: ParsedItem<unknown>,
		send: (call: Call) => Promise<IDataObject[]>,
	): Job {
		return {
			id: String(item.index),
			item,
			pairedItem: item.pairedItem,
			send: async () => {
				if (error !== undefined) {
					// What an earlier try might have done matters more than why this one can't do it.
					item.state.assertRepeatable();
					throw error;
				}
				const call = await this.connect(item);
				return await call.client.redact(await send(call));
			},
		};
	}

	private async createCall(item: Item): Promise<Call> {
		const { host, endpoint } = this;
		this.signal.throwIfAborted();
		const getCredentials = async (type: string) => await host.getCredentials(type, item.index);
		const connection = await getConnection({ getCredentials });
		const { maxConcurrent, maxRetries, responseTimeout, requestOptions } = item.settings;
		const key = JSON.stringify(connection);
		const session =
			this.sessions.get(key) ?? new Session(connection, new Pace(maxConcurrent, this.signal));
		this.sessions.set(key, session);
		const client = session.createClient(
			{
				context: host.context,
				maxRetries,
				responseTimeout,
				requestOptions,
				cancelled: host.context.getExecutionCancelSignal(),
				itemIndex: item.index,
				chosenUser: item.getPathParams().userId,
			},
			item.sensitiveValues,
		);
		item.redactText = (text) => client.redactText(text);
		return new Call(item, this, session, client, endpoint);
	}

	private async runAll(): Promise<INodeExecutionData[]> {
		const parsed = await this.checkAll(await this.parseAll());
		if (this.failure !== undefined) return [];
		const { item } = parsed.find(({ error }) => error === undefined) ?? {};
		const { batching = NO_BATCHING, maxConcurrent = 1 } = item?.settings ?? {};
		const batches = new Batches(batching, this.signal);
		const steps: INodeExecutionData[][][] = [];
		try {
			for await (const jobs of this.plan(parsed)) {
				steps.push(await this.runJobs(jobs, batches, maxConcurrent));
				if (this.signal.aborted) break;
			}
		} catch (error) {
			const failed = steps.length > 0 ? parsed.slice(0, 1) : parsed;
			const jobs = failed.map((entry) => this.createJob(entry, sendNothing));
			steps.push(jobs.map((job) => this.fail({ ...job, isForAllItems: true }, error)));
		}
		return steps.flat(2);
	}

	private async parseAll(): Promise<Array<ParsedItem<Input>>> {
		const parsed: Array<ParsedItem<Input>> = [];
		for (const index of this.host.items.keys()) {
			await takeBreak();
			if (this.signal.aborted) break;
			const item = new Item(this.host, index, this.endpoint, this.memory);
			try {
				item.settings = this.parseSettings(item);
				const input = this.operation.parse(item);
				item.getPathParams();
				parsed.push({ item, input });
			} catch (error) {
				parsed.push(this.refuse(item, error as Error));
			}
		}
		return parsed;
	}

	private async checkAll(parsed: Array<ParsedItem<Input>>): Promise<Array<ParsedItem<Input>>> {
		const { operation } = this;
		if (operation.check === undefined) return parsed;
		const checked: Array<ParsedItem<Input>> = [];
		for (const entry of parsed) {
			const { item, input } = entry;
			await takeBreak();
			try {
				if (input !== undefined) operation.check(await this.connect(item), input);
				checked.push(entry);
			} catch (error) {
				checked.push(this.refuse(item, error as Error));
			}
		}
		return checked;
	}

	/** Nothing is sent unless all items can be sent. What an earlier try did is done. */
	private refuse(item: Item, error: Error): ParsedItem<Input> {
		const refused = { item, error };
		const isDone = this.memory.outputs.has(String(item.index));
		if (!isDone && !this.continuesOnErrors) this.fail(this.createJob(refused, sendNothing), error);
		return refused;
	}

	/** The same object for all items, where no expression makes a difference. */
	private parseSettings(item: Item): Item['settings'] {
		const options = item.getOptions();
		const requestOptions = item.getParameter('requestOptions', {});
		const { parsedSettings: last } = this;
		if (last?.options === options && last.requestOptions === requestOptions) return last.settings;
		const settings = {
			...getRequestLimits(options, this.operation.responseTimeout),
			...parseRequestOptions(requestOptions),
		};
		this.parsedSettings = { options, requestOptions, settings };
		return settings;
	}

	private async *plan(parsed: Array<ParsedItem<Input>>): AsyncGenerator<Job[], void, undefined> {
		const { operation } = this;
		if (operation.plan !== undefined) return yield* operation.plan(parsed, this);
		// Taken out, so that what is done takes no memory any more.
		yield parsed.splice(0).map((entry) => {
			const { input } = entry;
			if (input === undefined) return this.createJob(entry, sendNothing);
			return {
				...this.createJob(entry, async (call) => await operation.send(call, input)),
				key: operation.getKey?.(input),
				isRepeatable: operation.isRepeatable?.(input),
			};
		});
	}

	/** Runs a few jobs at a time, in their order; those with the same key one after the other. */
	private async runJobs(
		jobs: Job[],
		batches: Batches,
		maxConcurrent: number,
	): Promise<INodeExecutionData[][]> {
		const output: INodeExecutionData[][] = jobs.map(() => []);
		const lastByKey = new Map<string, Promise<unknown>>();
		const left = jobs.reverse();
		const work = async () => {
			for (let job = left.pop(); job !== undefined; job = left.pop()) {
				if (this.signal.aborted) return;
				const index = output.length - left.length - 1;
				const { key } = job;
				const previous = key === undefined ? undefined : lastByKey.get(key);
				const running = this.runAfter(previous, job, async () => {
					await batches.waitFor(index);
				});
				if (key !== undefined) lastByKey.set(key, running);
				output[index] = await running;
				await takeBreak();
			}
		};
		await Promise.all(Array.from({ length: Math.min(maxConcurrent, output.length) }, work));
		return output;
	}

	private async runAfter(
		previous: Promise<unknown> | undefined,
		job: Job,
		begin: () => Promise<void>,
	): Promise<INodeExecutionData[]> {
		await previous;
		const { memory, changedKeys } = this;
		const { id, key, isRepeatable = true, pairedItem } = job;
		const finished = memory.outputs.get(id);
		const isOverwritten = key !== undefined && isRepeatable && changedKeys.has(key);
		if (finished !== undefined && !isOverwritten) return finished;
		try {
			await begin();
			this.signal.throwIfAborted();
			if (key !== undefined) changedKeys.add(key);
			const output = (await job.send()).map((json) => ({ json, pairedItem }));
			if (this.host.context.getNode().retryOnFail) memory.outputs.set(id, output);
			return output;
		} catch (error) {
			return this.fail(job, error);
		}
	}

	/** Returns an error item, or stops the execution. */
	private fail(job: Job, cause: unknown): INodeExecutionData[] {
		const { item, pairedItem, isForAllItems, isIndependent } = job;
		if (cause instanceof RunStoppedError) return [];
		const error = toNodeError(item, cause, isForAllItems);
		item.state.setError(error);
		if (this.continuesOnErrors) {
			const fields = job.getErrorFields?.(error) ?? item.readErrorFields();
			return [createErrorItem(item, error, fields, pairedItem)];
		}
		if (isIndependent) {
			this.failures.push(error);
			return [];
		}
		this.failure ??= error;
		this.ending.abort(new RunStoppedError());
		return [];
	}

	/**
	 * An agent passes the output of its tool to the model, but of an error nothing or little. One that calls the node by
	 * itself calls it again after an error (engine: makeHandleToolInvocation); n8n's engine also does so after an error item.
	 */
	private get continuesOnErrors(): boolean {
		const { context, isCalledByAgent } = this.host;
		const { type, retryOnFail, maxTries = 3 } = context.getNode();
		if (context.continueOnFail()) return true;
		if (!type.endsWith('Tool')) return false;
		const tries = Math.min(5, Math.max(2, maxTries));
		return !(retryOnFail === true && isCalledByAgent && this.memory.tries < tries);
	}

	/** n8n saves a canceled execution at once, so what was created goes to its log as well as into the error. */
	private endCanceled(): void {
		const { context } = this.host;
		const { created, unknown } = this.memory;
		// A few in each line: a line of the log has an end.
		for (let at = 0; at < Math.max(created.length, unknown.size); at += MAX_LOGGED) {
			const some = {
				created: created.slice(at, at + MAX_LOGGED),
				unknown: new Set([...unknown].slice(at, at + MAX_LOGGED)),
			};
			logWarning(context, `The execution was canceled. ${describeCreated(some)}`);
		}
		if (this.continuesOnErrors) return;
		const description = [CANCELED.description, describeCreated(this.memory)]
			.filter(Boolean)
			.join(' ');
		throw createApiError(context.getNode(), { ...CANCELED, description, itemIndex: 0 });
	}

	private showHints(): void {
		const held = [...this.sessions.values()].map(({ pace }) => pace.heldBack);
		const heldBack = Math.max(0, ...held);
		if (heldBack >= MIN_HELD_BACK) {
			const seconds = Math.round(heldBack / 1000);
			this.addHint(`The service's rate limit held the node back for ${seconds} s.`);
		}
		for (const hint of [...this.hints].slice(0, MAX_HINTS)) this.host.addHint(hint);
	}
}

const sendNothing = async () => await Promise.resolve([]);
