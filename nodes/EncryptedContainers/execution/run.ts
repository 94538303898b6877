import type { INodeExecutionData } from 'n8n-workflow';

import { delay } from '../../shared/client/delay';
import type { Endpoint } from '../../shared/client/endpoints';
import { createApiError, extendError } from '../../shared/errors/errors';
import { CANCELED } from '../../shared/errors/messages';
import { takeBreak } from '../../shared/responses/takeBreak';
import {
	combineFailures,
	continuesOnErrors,
	createErrorItem,
	toNodeError,
	type FailedJob,
} from './errorItems';
import { Execution, type RequestSettings } from './execution';
import type { Host } from './host';
import { Item } from './item';
import { createJob, FileOutput } from './operation';
import type { Job, Operation, Output, ParsedItem } from './operation';

const MAX_HINTS = 3;
const CONTINUE =
	'To keep the output of successful items, set "On Error" to Continue in the node\'s settings.';

/** Runs an operation for all items: parses the parameters of all of them, then sends a few at a time, in input order. */
export class Run<Input> {
	private readonly execution: Execution;
	private readonly continuesOnErrors: boolean;
	private readonly failures: FailedJob[] = [];

	constructor(
		private readonly host: Host,
		private readonly operation: Operation<Input> & { requests: Endpoint[] },
	) {
		this.execution = new Execution(host, operation);
		const { memory } = this.execution;
		memory.beginTry();
		this.continuesOnErrors = continuesOnErrors(host, memory.tries);
	}

	/** The output items in input order. @throws NodeApiError or NodeOperationError unless the node continues on errors */
	async execute(): Promise<INodeExecutionData[]> {
		const { execution, host } = this;
		const parsed = await this.parseAll();
		const first = parsed.find(({ error }) => error === undefined);
		const output: INodeExecutionData[] = [];
		let hasBegun = false;
		try {
			for await (const jobs of this.plan(parsed)) {
				output.push(...(await this.runJobs(jobs, first?.item.requestSettings)));
				hasBegun = true;
				if (execution.signal.aborted) break;
			}
		} catch (error) {
			const failed = hasBegun ? parsed.slice(0, 1) : parsed;
			for (const entry of failed) {
				const job = { ...createJob(entry), isForAllItems: true };
				output.push(...this.fail(job, error as Error));
			}
		} finally {
			execution.end();
		}
		this.throwFailure();
		for (const hint of [...execution.hints].slice(0, MAX_HINTS)) host.addHint(hint);
		return output;
	}

	/** Nothing is sent unless all items can be sent, or the node continues on errors. */
	private async parseAll(): Promise<Array<ParsedItem<Input>>> {
		const { execution, host, operation } = this;
		const parsed: Array<ParsedItem<Input>> = [];
		for (const [index, input] of host.items) {
			await takeBreak();
			if (execution.signal.aborted) return [];
			const item = new Item(execution, index, input);
			try {
				await item.prepare();
				const parameters = await operation.parse(item);
				parsed.push({ item, input: parameters });
			} catch (cause) {
				const error = cause as Error;
				parsed.push({ item, error });
				const isDone = execution.memory.recallOutput(String(index)) !== undefined;
				if (isDone || this.continuesOnErrors) continue;
				this.fail(createJob({ item, error }), error);
				return [];
			}
		}
		return parsed;
	}

	private async *plan(parsed: Array<ParsedItem<Input>>): AsyncGenerator<Job[], void> {
		const { execution, operation } = this;
		if (parsed.length === 0) return;
		if (operation.plan) yield* operation.plan(parsed, execution);
		else yield parsed.map((entry) => createJob(entry, operation.send));
	}

	/** Runs a few jobs at a time, in their order, with a pause before each batch (Request Options > Batching). */
	private async runJobs(jobs: Job[], settings?: RequestSettings): Promise<INodeExecutionData[]> {
		const { signal } = this.execution;
		const { maxConcurrent = 1, batching } = settings ?? {};
		const { size, interval } = batching ?? { size: 1, interval: 0 };
		const output: INodeExecutionData[][] = jobs.map(() => []);
		const queue = jobs.entries();
		let pause = Promise.resolve();
		const work = async () => {
			for (const [index, job] of queue) {
				if (signal.aborted) return;
				const isNextBatch = interval > 0 && index > 0 && index % size === 0;
				if (isNextBatch) pause = pause.then(async () => await delay(interval, signal));
				try {
					await pause;
					output[index] = await this.runJob(job);
				} catch (error) {
					output[index] = this.fail(job, error as Error);
				}
				await takeBreak();
			}
		};
		await Promise.all(Array.from({ length: Math.min(maxConcurrent, jobs.length) }, work));
		return output.flat();
	}

	private async runJob(job: Job): Promise<INodeExecutionData[]> {
		const { id, item, pairedItem, error, isRepeated = false } = job;
		const { memory, signal } = this.execution;
		const finished = isRepeated ? undefined : memory.recallOutput(id);
		if (finished !== undefined) return finished;
		signal.throwIfAborted();
		if (error !== undefined) throw error;
		const outputs = (await job.send()).map(toItem);
		await item.redactor.redactJson(outputs.map(({ json }) => json));
		const output = outputs.map((one) => ({ ...one, pairedItem }));
		memory.finish(id, this.host.node.retryOnFail ? output : undefined);
		return output;
	}

	private fail(job: Job, cause: Error): INodeExecutionData[] {
		const { execution } = this;
		// It only waited when another job stopped the execution.
		if (execution.isEndedBy(cause)) return [];
		execution.failedJobs += 1;
		const error = execution.memory.keepError(job.id, cause);
		if (this.continuesOnErrors) return [createErrorItem(job, error)];
		this.failures.push({ job, cause: error });
		if (!job.isIndependent) execution.end(error);
		return [];
	}

	/** @throws what stopped the execution, with what was created before */
	private throwFailure(): void {
		const { host, execution, failures } = this;
		const created = execution.memory.describeCreated();
		if (execution.canceled.aborted && !this.continuesOnErrors) {
			const description = `${CANCELED.description} ${created}`;
			throw createApiError(host.node, { ...CANCELED, description });
		}
		const stop = failures.find(({ cause }) => execution.isEndedBy(cause));
		const failure = stop ?? combineFailures(failures);
		if (failure === undefined) return;
		const advice = created === '' ? '' : `${created} ${CONTINUE}`;
		throw toNodeError(failure.job, extendError(failure.cause, { advice }));
	}
}

function toItem(output: Output): INodeExecutionData {
	if (!(output instanceof FileOutput)) return { json: output };
	const { json, binary } = output;
	return { json, binary };
}
