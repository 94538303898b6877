import type { INodeExecutionData } from 'n8n-workflow';

import { takeBreak } from '../../shared/client/delay';
import { CANCELED } from '../../shared/errors/messages';
import { createApiError, type NodeError } from '../../shared/errors/nodeErrors';
import { getRequestLimits } from '../../shared/parameters/limits';
import { parseRequestOptions } from '../parameters/requestOptions';
import { createBatches } from './batches';
import { Connections } from './connections';
import {
	combineErrors,
	continuesOnErrors,
	createErrorItem,
	describeCreated,
	logCreated,
	toNodeError,
} from './errorItems';
import type { Host } from './host';
import { Item } from './item';
import type { Call, Job, Operation, ParsedItem, RunServices, Send } from './operation';
import type { Endpoint } from './pathParams';
import { getTries } from './tries';

const MAX_HINTS = 3;

const CONTINUE_HINT =
	'To keep the output of successful items, set "On Error" to Continue in the node\'s settings.';

/** Ends what waits after another item stopped the execution. */
class RunStoppedError extends Error {}

/** Runs an operation for all items: parses the parameters of all of them, then sends a few at a time, in input order. */
export class Run<Input> implements RunServices {
	readonly tries;
	/** Ends waiting. Requests in flight end by themselves, or n8n aborts them when the execution is canceled. */
	readonly signal;
	private readonly ending = new AbortController();
	private readonly cancelled;
	private readonly connections = new Connections(this);
	private readonly continuesOnErrors;
	private failure?: NodeError;
	failed = 0;
	/** What failed without stopping the others. */
	private readonly failures: NodeError[] = [];
	/** The keys of jobs that ran in this try. */
	private readonly changedKeys = new Set<string>();
	private readonly hints = new Set<string>();

	constructor(
		private readonly host: Host,
		private readonly endpoint: Endpoint,
		private readonly operation: Operation<Input>,
	) {
		this.tries = getTries(host.tryKey);
		this.tries.begin();
		this.cancelled = host.context.getExecutionCancelSignal() ?? new AbortController().signal;
		this.signal = AbortSignal.any([this.ending.signal, this.cancelled]);
		this.continuesOnErrors = continuesOnErrors(host, this.tries.count);
	}

	/** The output items in input order. @throws NodeApiError or NodeOperationError unless the node continues on errors */
	async execute(): Promise<INodeExecutionData[]> {
		try {
			const output = await this.runAll();
			if (this.cancelled.aborted) this.endCanceled();
			const failure = this.failure ?? combineErrors(this.host.node, this.failures);
			if (failure !== undefined) throw this.addCreated(failure);
			const hints = [...this.hints, ...this.connections.listHints()];
			for (const hint of hints.slice(0, MAX_HINTS)) this.host.addHint(hint);
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
		const fields = this.operation.fields ?? [];
		const all = fields.flatMap((field) => [field, ...(field.options ?? [])]);
		const found = all.find((field) => field.name === name);
		return found && 'displayName' in found ? found.displayName : name;
	}

	async connect(item: Item): Promise<Call> {
		return await this.connections.connect(item);
	}

	createJob({ item, error }: ParsedItem<unknown>, send?: Send): Job {
		return {
			id: String(item.index),
			item,
			pairedItem: { item: item.index },
			send: async () => {
				if (error !== undefined) {
					// What an earlier try might have done matters more than why this one can't do it.
					item.state.assertRepeatable();
					throw error;
				}
				const call = await this.connect(item);
				return await call.client.redact((await send?.(call)) ?? []);
			},
		};
	}

	private async runAll(): Promise<INodeExecutionData[]> {
		const parsed = await this.parseAll();
		if (this.failure !== undefined) return [];
		const { item } = parsed.find(({ error }) => error === undefined) ?? {};
		const begin = createBatches(this.signal, item?.settings.batching);
		const steps: INodeExecutionData[][][] = [];
		try {
			for await (const jobs of this.plan(parsed)) {
				steps.push(await this.runJobs(jobs, begin, item?.settings.maxConcurrent));
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
		const { operation } = this;
		const parsed: Array<ParsedItem<Input>> = [];
		for (const [index, input] of this.host.items) {
			await takeBreak();
			if (this.signal.aborted) break;
			const item = new Item(this.host, index, input, this.endpoint, this.tries);
			try {
				const limits = getRequestLimits(item.getOptions(), operation.responseTimeout);
				item.settings = { ...limits, ...parseRequestOptions(item.getParameter('requestOptions')) };
				const parameters = operation.parse(item);
				item.getPathParams();
				await this.connections.getSession(item);
				if (operation.check !== undefined) operation.check(await this.connect(item), parameters);
				parsed.push({ item, input: parameters });
			} catch (error) {
				const refused = { item, error: this.nameField(item, error as Error) };
				parsed.push(refused);
				// Nothing is sent unless all items can be sent. What an earlier try did is done.
				const isDone = this.tries.outputs.has(String(index));
				if (!isDone && !this.continuesOnErrors) this.fail(this.createJob(refused), error);
			}
		}
		return parsed;
	}

	/** Of an expression that fails, n8n often doesn't say where it is. */
	private nameField({ evaluated }: Item, error: Error & { description?: string | null }): Error {
		if (evaluated === undefined) return error;
		const advice = `Correct the expression in "${this.getLabel(evaluated)}".`;
		return Object.assign(error, {
			description: [error.description, advice].filter(Boolean).join(' '),
		});
	}

	private async *plan(parsed: Array<ParsedItem<Input>>): AsyncGenerator<Job[], void, undefined> {
		const { operation } = this;
		if (operation.plan !== undefined) return yield* operation.plan(parsed, this);
		// Taken out, so that what is done takes no memory any more.
		yield parsed.splice(0).map((entry) => {
			const { input } = entry;
			if (input === undefined) return this.createJob(entry);
			const job = this.createJob(entry, async (call) => await operation.send(call, input));
			const isRepeatable = operation.isRepeatable?.(input);
			return { ...job, key: operation.getKey?.(input), isRepeatable };
		});
	}

	/** Runs a few jobs at a time, in their order; those with the same key one after the other. */
	private async runJobs(jobs: Job[], begin: () => Promise<void>, maxConcurrent = 1) {
		const output: INodeExecutionData[][] = jobs.map(() => []);
		const lastByKey = new Map<unknown, Promise<unknown>>();
		const left = jobs.reverse();
		const work = async () => {
			for (let job = left.pop(); job !== undefined; job = left.pop()) {
				if (this.signal.aborted) return;
				const index = output.length - left.length - 1;
				const { key = job } = job;
				const running = this.runAfter(lastByKey.get(key), job, begin);
				lastByKey.set(key, running);
				output[index] = await running;
				if (lastByKey.get(key) === running) lastByKey.delete(key);
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
		const { tries, changedKeys } = this;
		const { id, key, isRepeatable = true, pairedItem } = job;
		const finished = tries.outputs.get(id);
		const isOverwritten = key !== undefined && isRepeatable && changedKeys.has(key);
		if (finished !== undefined && !isOverwritten) return finished;
		try {
			await begin();
			this.signal.throwIfAborted();
			if (key !== undefined) changedKeys.add(key);
			const records = await job.send();
			const output = records.map((json) => ({ json, pairedItem }));
			if (this.host.node.retryOnFail) tries.outputs.set(id, output);
			return output;
		} catch (error) {
			return this.fail(job, error);
		} finally {
			if (this.operation.plan === undefined) job.item.client = undefined;
		}
	}

	private fail(job: Job, cause: unknown): INodeExecutionData[] {
		if (cause instanceof RunStoppedError) return [];
		this.failed += 1;
		const error = toNodeError(job.item, cause, job.isForAllItems);
		job.item.state.setError(error);
		if (this.continuesOnErrors) return [createErrorItem(job, error)];
		if (job.isIndependent) this.failures.push(error);
		else this.failure ??= error;
		if (this.failure !== undefined) this.ending.abort(new RunStoppedError());
		return [];
	}

	private addCreated(error: NodeError): NodeError {
		const created = describeCreated(this.tries);
		const texts = [error.description, created, created && CONTINUE_HINT];
		error.description = texts.filter(Boolean).join(' ');
		return error;
	}

	private endCanceled(): void {
		logCreated(this.host, this.tries);
		if (this.continuesOnErrors) return;
		const description = `${CANCELED.description} ${describeCreated(this.tries)}`.trim();
		throw createApiError(this.host.node, { ...CANCELED, description, itemIndex: 0 });
	}
}
