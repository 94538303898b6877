import type { INodeExecutionData } from 'n8n-workflow';

import { Client } from '../../shared/client/client';
import { getConnection } from '../../shared/client/connection';
import { delay, takeBreak } from '../../shared/client/delay';
import { Limiter } from '../../shared/client/limiter';
import { CANCELED } from '../../shared/errors/messages';
import { createApiError } from '../../shared/errors/nodeErrors';
import { withAdvice } from '../../shared/errors/serviceError';
import { combineFailures, continuesOnErrors, createErrorItem, toNodeError } from './errorItems';
import type { FailedJob } from './errorItems';
import type { Host } from './host';
import { Item, type Execution } from './item';
import { createJob, type Job, type Operation, type ParsedItem } from './operation';
import type { Endpoint } from './pathParams';
import { getTries } from './tries';

const MAX_HINTS = 3;
const CONTINUE =
	'To keep the output of successful items, set "On Error" to Continue in the node\'s settings.';

/** Runs an operation for all items: parses the parameters of all of them, then sends a few at a time, in input order. */
export class Run<Input> implements Execution {
	readonly tries;
	readonly responseTimeout;
	/** Requests in flight end by themselves, or n8n aborts them when the execution is canceled. */
	readonly signal;
	failed = 0;
	/** Aborted with the error that stops the execution. */
	private readonly ending = new AbortController();
	private readonly cancelled;
	/** Items with the same credential and settings share one. */
	private readonly clients = new Map<string, Client>();
	private readonly continuesOnErrors;
	private readonly failures: FailedJob[] = [];
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
		this.continuesOnErrors = continuesOnErrors(host, this.tries.count);
	}

	/** The output items in input order. @throws NodeApiError or NodeOperationError unless the node continues on errors */
	async execute(): Promise<INodeExecutionData[]> {
		const { host, tries, cancelled, ending } = this;
		try {
			const output = await this.runAll();
			const created = tries.describeCreated();
			if (cancelled.aborted && !this.continuesOnErrors) {
				const description = `${CANCELED.description} ${created}`;
				throw createApiError(host.node, { ...CANCELED, description }, 0);
			}
			const stop = this.failures.find(({ cause }) => cause === ending.signal.reason);
			const failure = stop ?? combineFailures(this.failures);
			if (failure !== undefined) {
				const { job, cause } = failure;
				const advice = created === '' ? '' : `${created} ${CONTINUE}`;
				throw toNodeError({ job, cause: withAdvice(cause, advice) });
			}
			for (const hint of [...this.hints].slice(0, MAX_HINTS)) host.addHint(hint);
			return output;
		} finally {
			// Nothing is sent after the end, whatever still waits.
			ending.abort();
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

	private async runAll(): Promise<INodeExecutionData[]> {
		const parsed = await this.parseAll();
		if (this.ending.signal.aborted) return [];
		const { settings } = parsed.find(({ error }) => error === undefined)?.item ?? {};
		const steps: INodeExecutionData[][][] = [];
		try {
			for await (const jobs of this.plan(parsed)) {
				steps.push(await this.runJobs(jobs, settings));
				if (this.signal.aborted) break;
			}
		} catch (error) {
			const failed = steps.length > 0 ? parsed.slice(0, 1) : parsed;
			steps.push(
				failed.map((entry) =>
					this.fail({ ...createJob(entry), isForAllItems: true }, error as Error),
				),
			);
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
			this.fail(createJob(entry), entry.error);
		}
		return parsed;
	}

	private async parse(item: Item): Promise<ParsedItem<Input>> {
		try {
			item.connect(await this.connect(item));
			const input = this.operation.parse(item);
			item.getPathParams();
			return { item, input };
		} catch (error) {
			return { item, error: error as Error };
		}
	}

	/** @throws UserError for a credential that can't be used */
	private async connect({ index, settings }: Item): Promise<Client> {
		const { host, signal } = this;
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
		const limiter = new Limiter({ connection, concurrency, signal });
		const client = new Client({ ...own, limiter, context, cancelled: this.cancelled });
		this.clients.set(key, client);
		return client;
	}

	private async *plan(parsed: Array<ParsedItem<Input>>): AsyncGenerator<Job[], void, undefined> {
		const { operation } = this;
		if (operation.plan !== undefined) return yield* operation.plan(parsed, this);
		yield parsed.map((entry) =>
			createJob(entry, async (item) => await operation.send(item, entry.input as Input)),
		);
	}

	/** Runs a few jobs at a time, in their order, with a pause before each batch (Request Options > Batching). */
	private async runJobs(jobs: Job[], settings?: Item['settings']) {
		const { maxConcurrent = 1, batching } = settings ?? {};
		const { size, interval } = batching ?? { size: 1, interval: 0 };
		const output: INodeExecutionData[][] = jobs.map(() => []);
		const queue = jobs.entries();
		let pause = Promise.resolve();
		const work = async () => {
			for (const [index, job] of queue) {
				if (this.signal.aborted) return;
				const isNext = interval > 0 && index > 0 && index % size === 0;
				if (isNext) pause = pause.then(async () => await delay(interval, this.signal));
				const running = pause.then(async () => await this.runJob(job));
				output[index] = await running.catch((error: Error) => this.fail(job, error));
				await takeBreak();
			}
		};
		await Promise.all(Array.from({ length: Math.min(maxConcurrent, jobs.length) }, work));
		return output;
	}

	/** Sends what no earlier try did. */
	private async runJob({ id, pairedItem, send }: Job): Promise<INodeExecutionData[]> {
		const finished = this.tries.outputs.get(id);
		if (finished !== undefined) return finished;
		this.signal.throwIfAborted();
		const records = await send();
		const output = records.map((json) => ({ json, pairedItem }));
		if (this.host.node.retryOnFail) this.tries.outputs.set(id, output);
		return output;
	}

	private fail(job: Job, cause: Error): INodeExecutionData[] {
		// It only waited when another job stopped the execution.
		if (cause === this.ending.signal.reason) return [];
		this.failed += 1;
		job.item.state.keepError(cause);
		if (this.continuesOnErrors) return [createErrorItem({ job, cause })];
		this.failures.push({ job, cause });
		if (!job.isIndependent) this.ending.abort(cause);
		return [];
	}
}
