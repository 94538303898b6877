import type { INodeExecutionData } from 'n8n-workflow';

import { takeBreak } from '../../shared/client/delay';
import { CANCELED } from '../../shared/errors/messages';
import { createApiError } from '../../shared/errors/nodeErrors';
import { withAdvice } from '../../shared/errors/serviceError';
import { createBatches } from './batches';
import { Clients } from './clients';
import { describeCreated, logCreated } from './created';
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
	private readonly clients;
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
		this.clients = new Clients(this.signal);
		this.continuesOnErrors = continuesOnErrors(host, this.tries.count);
	}

	/** The output items in input order. @throws NodeApiError or NodeOperationError unless the node continues on errors */
	async execute(): Promise<INodeExecutionData[]> {
		const { host, tries, cancelled, ending } = this;
		try {
			const output = await this.runAll();
			const created = describeCreated(tries);
			if (cancelled.aborted) {
				logCreated(host, tries);
				const description = `${CANCELED.description} ${created}`;
				const { message } = CANCELED;
				if (!this.continuesOnErrors) throw createApiError(host.node, { message, description }, 0);
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
		const begin = createBatches(this.signal, settings?.batching);
		const steps: INodeExecutionData[][][] = [];
		try {
			for await (const jobs of this.plan(parsed)) {
				steps.push(await this.runJobs(jobs, begin, settings?.maxConcurrent));
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
			item.connect(await this.clients.get(item));
			const input = this.operation.parse(item);
			item.getPathParams();
			return { item, input };
		} catch (error) {
			return { item, error: error as Error };
		}
	}

	private async *plan(parsed: Array<ParsedItem<Input>>): AsyncGenerator<Job[], void, undefined> {
		const { operation } = this;
		if (operation.plan !== undefined) return yield* operation.plan(parsed, this);
		yield parsed.map((entry) =>
			createJob(entry, async (item) => await operation.send(item, entry.input as Input)),
		);
	}

	/** Runs a few jobs at a time, in their order. */
	private async runJobs(jobs: Job[], begin: () => Promise<void>, maxConcurrent = 1) {
		const output: INodeExecutionData[][] = jobs.map(() => []);
		const queue = jobs.entries();
		const work = async () => {
			for (const [index, job] of queue) {
				if (this.signal.aborted) return;
				output[index] = await this.runJob(job, begin).catch((error: Error) =>
					this.fail(job, error),
				);
				await takeBreak();
			}
		};
		await Promise.all(Array.from({ length: Math.min(maxConcurrent, jobs.length) }, work));
		return output;
	}

	/** Sends what no earlier try did. */
	private async runJob(job: Job, begin: () => Promise<void>): Promise<INodeExecutionData[]> {
		const { id, pairedItem } = job;
		const finished = this.tries.outputs.get(id);
		if (finished !== undefined) return finished;
		await begin();
		this.signal.throwIfAborted();
		const records = await job.send();
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
