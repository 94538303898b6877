import type { INodeExecutionData } from 'n8n-workflow';

import { delay } from '../../shared/client/delay';
import { createApiError, extendError } from '../../shared/errors/errors';
import { CANCELED } from '../../shared/errors/messages';
import { takeBreak } from '../../shared/responses/takeBreak';
import { Execution, type Endpoint, type Host } from './execution';
import { Item } from './item';
import {
	combineFailures,
	continuesOnErrors,
	createErrorItem,
	createJob,
	toNodeError,
	type Failures,
	type Job,
	type Operation,
	type ParsedItem,
} from './operation';

const MAX_HINTS = 3;
const CONTINUE =
	'To keep the output of successful items, set "On Error" to Continue in the node\'s settings.';

/** Runs an operation for all items: parses the parameters of all of them, then sends a few at a time, in input order. */
export class Run<Input> extends Execution {
	private readonly continuesOnErrors;
	private readonly failures: Failures = [];

	constructor(
		host: Host,
		endpoint: Endpoint,
		private readonly operation: Operation<Input>,
	) {
		super(host, endpoint, operation);
		this.tries.begin();
		this.continuesOnErrors = continuesOnErrors(host, this.tries.count);
	}

	/** The output items in input order. @throws NodeApiError or NodeOperationError unless the node continues on errors */
	async execute(): Promise<INodeExecutionData[]> {
		try {
			const output = await this.runAll();
			this.throwFailure();
			for (const hint of [...this.hints].slice(0, MAX_HINTS)) this.host.addHint(hint);
			return output;
		} finally {
			// Nothing is sent after the end, whatever still waits.
			this.ending.abort();
		}
	}

	private async runAll(): Promise<INodeExecutionData[]> {
		const parsed = await this.parseAll();
		const first = parsed.find(({ error }) => error === undefined);
		const output: INodeExecutionData[][] = [];
		try {
			for await (const jobs of this.plan(parsed)) {
				output.push(...(await this.runJobs(jobs, first?.item.settings)));
				if (this.signal.aborted) break;
			}
		} catch (error) {
			const failed = output.length > 0 ? parsed.slice(0, 1) : parsed;
			for (const entry of failed) {
				output.push(this.fail({ ...createJob(entry), isForAllItems: true }, error as Error));
			}
		}
		return output.flat();
	}

	/** Nothing is sent unless all items can be sent, or the node continues on errors. */
	private async parseAll(): Promise<Array<ParsedItem<Input>>> {
		const parsed: Array<ParsedItem<Input>> = [];
		for (const [index, input] of this.host.items) {
			await takeBreak();
			if (this.signal.aborted) return [];
			const item = new Item(this, index, input);
			try {
				await item.prepare();
				const parameters = await this.operation.parse(item);
				parsed.push({ item, input: parameters });
			} catch (cause) {
				const error = cause as Error;
				parsed.push({ item, error });
				// What an earlier try did is done.
				if (this.tries.outputs.has(String(index)) || this.continuesOnErrors) continue;
				this.fail(createJob({ item, error }), error);
				return [];
			}
		}
		return parsed;
	}

	private async *plan(parsed: Array<ParsedItem<Input>>): AsyncGenerator<Job[], void> {
		const { operation } = this;
		if (parsed.length === 0) return;
		if (operation.plan) yield* operation.plan(parsed, this);
		else yield parsed.map((entry) => createJob(entry, operation.send));
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

	private async runJob({ id, item, pairedItem, send }: Job): Promise<INodeExecutionData[]> {
		const finished = this.tries.outputs.get(id);
		if (finished !== undefined) return finished;
		this.signal.throwIfAborted();
		const records = await send();
		item.state.doubt = undefined;
		const output = records.map((json) => ({ json, pairedItem }));
		if (this.host.node.retryOnFail) this.tries.outputs.set(id, output);
		return output;
	}

	private fail(job: Job, cause: Error): INodeExecutionData[] {
		// It only waited when another job stopped the execution.
		if (cause === this.ending.signal.reason) return [];
		this.failedJobs += 1;
		const error = job.item.state.keepError(cause);
		if (this.continuesOnErrors) return [createErrorItem(job, error)];
		this.failures.push({ job, cause: error });
		if (!job.isIndependent) this.ending.abort(error);
		return [];
	}

	/** @throws what stopped the execution, with what was created before */
	private throwFailure(): void {
		const { host, cancelled, ending, failures } = this;
		const created = this.tries.describeCreated();
		if (cancelled.aborted && !this.continuesOnErrors) {
			const description = `${CANCELED.description} ${created}`;
			throw createApiError(host.node, { ...CANCELED, description }, 0);
		}
		const stop = failures.find(({ cause }) => cause === ending.signal.reason);
		const failure = stop ?? combineFailures(failures);
		if (failure === undefined) return;
		const advice = created === '' ? '' : `${created} ${CONTINUE}`;
		throw toNodeError(failure.job, extendError(failure.cause, { advice }));
	}
}
