import type { IExecuteData, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { Limiter } from '../../shared/client/limiter';

/** n8n passes the same object to all items of one execution of the node. */
const runs = new WeakMap<IExecuteData, RunContext>();

/** Replaces a request after another item stopped the execution. */
export class RunStoppedError extends Error {}

/** What the items of one execution of the node share. */
export class RunContext {
	readonly limiter: Limiter;

	/** What was created so far, for the error of an execution that stops. */
	readonly created: string[] = [];

	/** Whether an item failed and stopped the execution. */
	isStopped = false;

	private readonly started = new Set<number>();
	private readonly pending = new Set<Promise<unknown>>();
	private readonly results = new Map<string, Promise<unknown>>();
	private readonly mutexes = new Map<string, Promise<unknown>>();

	constructor(
		readonly itemCount: number,
		maxConcurrent: number,
		cancelSignal: AbortSignal | undefined,
	) {
		this.limiter = new Limiter(maxConcurrent, cancelSignal);
	}

	/** Whether n8n has started every item. */
	get isComplete(): boolean {
		return this.started.size >= this.itemCount;
	}

	/** Rejects every request that is still in the queue. */
	stop(): void {
		this.isStopped = true;
		this.limiter.stop(new RunStoppedError());
	}

	/** Registers an item; false if it started before, because then n8n executes the node again. */
	start(itemIndex: number): boolean {
		if (this.started.has(itemIndex)) return false;
		this.started.add(itemIndex);
		return true;
	}

	/** Runs a task once per execution; all items share its result or its error. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		const result = (this.results.get(key) as Promise<T> | undefined) ?? task();
		this.results.set(key, result);
		return await result;
	}

	/** Runs the tasks of one key, such as a container's ID, one after the other in input order. */
	async runExclusive<T>(key: string, task: () => Promise<T>): Promise<T> {
		const previous = this.mutexes.get(key) ?? Promise.resolve();
		const result = previous.then(task, task);
		this.mutexes.set(key, result);
		return await result;
	}

	/** Runs a task that `onIdle` waits for. */
	async track<T>(task: () => Promise<T>): Promise<T> {
		const result = task();
		this.pending.add(result);
		try {
			return await result;
		} finally {
			this.pending.delete(result);
		}
	}

	/** Resolves when no task is running. */
	async onIdle(): Promise<void> {
		while (this.pending.size > 0) await Promise.allSettled(this.pending);
	}
}

/** Returns what the items of an execution share, created for the first of them, whose `maxConcurrent` applies. */
export function enterRun(context: IExecutePaginationFunctions, maxConcurrent: number): RunContext {
	const data = context.getExecuteData();
	const itemIndex = context.getItemIndex();
	const current = runs.get(data);
	if (current?.start(itemIndex)) return current;
	const run = new RunContext(
		getInputItems(context).length,
		maxConcurrent,
		context.getExecutionCancelSignal(),
	);
	run.start(itemIndex);
	runs.set(data, run);
	return run;
}

/** All input items of the execution. */
export function getInputItems(context: IExecutePaginationFunctions): INodeExecutionData[] {
	const { data, node } = context.getExecuteData();
	// An agent calls its tool with one item at a time; the execution data contains the agent's own items.
	if (node.name !== context.getNode().name) {
		return [context.getInputData(0, NodeConnectionTypes.AiTool)];
	}
	return data.main?.[0] ?? data.ai_tool?.[0] ?? [];
}
