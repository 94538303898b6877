import type { INodeExecutionData } from 'n8n-workflow';

import { takeBreak } from '../../shared/client/delay';
import type { NodeError } from '../../shared/errors/nodeErrors';
import { createBatches } from './batches';
import { Connections } from './connections';
import { addCreated, createCanceledError, logCreated } from './created';
import { combineErrors, continuesOnErrors, createErrorItem, toNodeError } from './errorItems';
import type { Host } from './host';
import { Item } from './item';
import type { Call, Job, Operation, ParsedItem, RunServices, Send } from './operation';
import type { Endpoint } from './pathParams';
import { getTries } from './tries';

const MAX_HINTS = 3;

/** Ends what waits after another item stopped the execution. */
class RunStoppedError extends Error {}

/** Runs an operation for all items: parses the parameters of all of them, then sends a few at a time, in input order. */
export class Run<Input> implements RunServices {
	readonly tries;
	readonly responseTimeout;
	/** Ends waiting. Requests in flight end by themselves, or n8n aborts them when the execution is canceled. */
	readonly signal;
	failed = 0;
	private readonly ending = new AbortController();
	private readonly cancelled;
	private readonly connections;
	private readonly continuesOnErrors;
	private failure?: NodeError;
	private readonly independentFailures: NodeError[] = [];
	/** The keys of jobs that ran in this try. */
	private readonly changedKeys = new Set<string>();
	private readonly hints = new Set<string>();

	constructor(
		readonly host: Host,
		readonly endpoint: Endpoint,
		private readonly operation: Operation<Input>,
	) {
		this.responseTimeout = operation.responseTimeout;
		this.tries = getTries(host.tryKey);
		this.tries.begin();
		this.cancelled = host.context.getExecutionCancelSignal() ?? new AbortController().signal;
		this.signal = AbortSignal.any([this.ending.signal, this.cancelled]);
		this.connections = new Connections(this);
		this.continuesOnErrors = continuesOnErrors(host, this.tries.count);
	}

	/** The output items in input order. @throws NodeApiError or NodeOperationError unless the node continues on errors */
	async execute(): Promise<INodeExecutionData[]> {
		try {
			const output = await this.runAll();
			if (this.cancelled.aborted) logCreated(this.host, this.tries);
			if (this.cancelled.aborted && !this.continuesOnErrors) {
				throw createCanceledError(this.host, this.tries);
			}
			const failure = this.failure ?? combineErrors(this.host.node, this.independentFailures);
			if (failure !== undefined) throw addCreated(failure, this.tries);
			const pauseHint = this.connections.getPauseHint();
			if (pauseHint !== undefined) this.addHint(pauseHint);
			for (const hint of [...this.hints].slice(0, MAX_HINTS)) this.host.addHint(hint);
			return output;
		} finally {
			// Nothing is sent after the end, whatever still waits.
			this.ending.abort(new RunStoppedError());
		}
	}

	addHint(message: string): void {
		this.hints.add(message);
	}

	getLabel(name: string): string {
		const { fields = [] } = this.operation;
		const all = fields.flatMap((field) => [field, ...(field.options ?? [])]);
		const found = all.find((field) => field.name === name);
		return found && 'displayName' in found ? found.displayName : name;
	}

	async connect(item: Item): Promise<Call> {
		return await this.connections.connect(item);
	}

	createJob(parsed: ParsedItem<Input>, send?: Send): Job {
		const { item, error } = parsed;
		const input = error === undefined ? parsed.input : parsed.refused;
		return {
			id: String(item.index),
			item,
			pairedItem: { item: item.index },
			getErrorFields: () => this.operation.getErrorFields?.(item, input) ?? item.getErrorFields(),
			send: async () => {
				if (error !== undefined) {
					// What an earlier try might have done matters more than why this one can't do it.
					item.state.assertRepeatable();
					throw error;
				}
				const call = await this.connect(item);
				return await call.redact((await send?.(call)) ?? []);
			},
		};
	}

	private async runAll(): Promise<INodeExecutionData[]> {
		const parsed = await this.parseAll();
		if (this.failure !== undefined) return [];
		const { settings } = parsed.find(({ error }) => error === undefined)?.item ?? {};
		const begin = createBatches(this.signal, settings?.batching);
		const steps: INodeExecutionData[][][] = [];
		try {
			for await (const jobs of this.plan(parsed)) {
				steps.push(await this.runJobs(jobs, begin, settings?.maxConcurrent));
				if (this.signal.aborted) break;
			}
		} catch (error) {
			const failed = steps.length > 0 ? parsed.slice(0, 1) : parsed;
			const jobs = failed.map((entry) => ({ ...this.createJob(entry), isForAllItems: true }));
			steps.push(jobs.map((job) => this.fail(job, error)));
		}
		return steps.flat(2);
	}

	private async parseAll(): Promise<Array<ParsedItem<Input>>> {
		const parsed: Array<ParsedItem<Input>> = [];
		for (const [index, input] of this.host.items) {
			await takeBreak();
			if (this.signal.aborted) break;
			const entry = await this.parse(new Item(this, index, input));
			parsed.push(entry);
			// Nothing is sent unless all items can be sent. What an earlier try did is done.
			const isDone = this.tries.outputs.has(String(index));
			if (entry.error === undefined || isDone || this.continuesOnErrors) continue;
			this.fail(this.createJob(entry), entry.error);
		}
		return parsed;
	}

	private async parse(item: Item): Promise<ParsedItem<Input>> {
		let refused: Input | undefined;
		try {
			const input = this.operation.parse(item);
			refused = input;
			item.getPathParams();
			const call = await this.connect(item);
			this.operation.check?.(call, input);
			return { item, input };
		} catch (error) {
			return { item, error: error as Error, refused };
		}
	}

	private async *plan(parsed: Array<ParsedItem<Input>>): AsyncGenerator<Job[], void, undefined> {
		const { operation } = this;
		if (operation.plan !== undefined) return yield* operation.plan(parsed, this);
		yield parsed.map((entry) => {
			const { input } = entry;
			if (input === undefined) return this.createJob(entry);
			return {
				...this.createJob(entry, async (call) => await operation.send(call, input)),
				key: operation.getKey?.(input),
				isRepeatable: operation.isRepeatable?.(input),
			};
		});
	}

	/** Runs a few jobs at a time, in their order. */
	private async runJobs(jobs: Job[], begin: () => Promise<void>, maxConcurrent = 1) {
		const output: INodeExecutionData[][] = jobs.map(() => []);
		const queue = jobs.entries();
		const work = async () => {
			for (const [index, job] of queue) {
				if (this.signal.aborted) return;
				output[index] = await this.runJob(job, begin).catch((error) => this.fail(job, error));
				await takeBreak();
			}
		};
		await Promise.all(Array.from({ length: Math.min(maxConcurrent, jobs.length) }, work));
		return output;
	}

	/** Jobs with the same key run one after the other, in their order. */
	private async runJob(job: Job, begin: () => Promise<void>): Promise<INodeExecutionData[]> {
		const send = async () => await this.send(job, begin);
		if (job.key === undefined) return await send();
		const call = await this.connect(job.item);
		return await call.runAlone(job.key, send);
	}

	/** Sends what no earlier try did, or what one did before something else changed the same. */
	private async send(job: Job, begin: () => Promise<void>): Promise<INodeExecutionData[]> {
		const { id, key, isRepeatable = true, pairedItem } = job;
		const finished = this.tries.outputs.get(id);
		const isOverwritten = key !== undefined && isRepeatable && this.changedKeys.has(key);
		if (finished !== undefined && !isOverwritten) return finished;
		await begin();
		this.signal.throwIfAborted();
		if (key !== undefined) this.changedKeys.add(key);
		const records = await job.send();
		const output = records.map((json) => ({ json, pairedItem }));
		if (this.host.node.retryOnFail) this.tries.outputs.set(id, output);
		return output;
	}

	private fail(job: Job, cause: unknown): INodeExecutionData[] {
		if (cause instanceof RunStoppedError) return [];
		this.failed += 1;
		const { item, isForAllItems } = job;
		const redactor = this.connections.getRedactor(item);
		const error = toNodeError(item, cause, { isForAllItems, redactor });
		item.state.setError(error);
		if (this.continuesOnErrors) return [createErrorItem(job, error)];
		if (job.isIndependent) this.independentFailures.push(error);
		else this.failure ??= error;
		if (this.failure !== undefined) this.ending.abort(new RunStoppedError());
		return [];
	}
}
