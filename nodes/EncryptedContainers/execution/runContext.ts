import type { IExecuteData, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { Limiter } from '../../shared/client/limiter';

/** n8n passes the same object to all items of one execution of the node, so it is the scope for what they share. */
const runs = new WeakMap<IExecuteData, RunContext>();

/** Thrown instead of sending a request after another item stopped the execution. */
export class RunStoppedError extends Error {}

/** What the items of one execution of the node share. */
export class RunContext {
	readonly limiter: Limiter;

	/** What was created so far, for the error of an execution that stops half-way. */
	readonly created: string[] = [];

	private stopped = false;

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

	/** Whether an item failed and the workflow stops at it. */
	get isStopped(): boolean {
		return this.stopped;
	}

	/** Whether n8n has handed over every item. */
	get isComplete(): boolean {
		return this.started.size >= this.itemCount;
	}

	/** Keeps every request back that was not sent yet. */
	stop(): void {
		this.stopped = true;
		this.limiter.stop(new RunStoppedError());
	}

	/** Notes that an item starts; false when it started before, which means that n8n executes the node again. */
	start(itemIndex: number): boolean {
		if (this.started.has(itemIndex)) return false;
		this.started.add(itemIndex);
		return true;
	}

	/** Runs a task once per execution and shares its result, a failure too, between all items that ask for it. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		const known = this.results.get(key);
		if (known !== undefined) return (await known) as T;
		const result = task();
		this.results.set(key, result);
		return await result;
	}

	/** Runs the tasks of one key, such as a container's identifier, one after the other in input order. */
	async runExclusive<T>(key: string, task: () => Promise<T>): Promise<T> {
		const previous = this.mutexes.get(key) ?? Promise.resolve();
		const result = previous.then(task, task);
		this.mutexes.set(key, result);
		return await result;
	}

	/** Keeps count of a task, so that `onIdle` waits for it. */
	async track<T>(task: () => Promise<T>): Promise<T> {
		const result = task();
		this.pending.add(result);
		try {
			return await result;
		} finally {
			this.pending.delete(result);
		}
	}

	/** Resolves when no task is running any more. */
	async onIdle(): Promise<void> {
		while (this.pending.size > 0) await Promise.allSettled(this.pending);
	}
}

/**
 * Returns what an item shares with the others of its execution, created for the first of them.
 *
 * @param maxConcurrent the first item's value counts
 */
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

/** All input items of the execution that a context belongs to. */
export function getInputItems(context: IExecutePaginationFunctions): INodeExecutionData[] {
	const { data, node } = context.getExecuteData();
	// An agent calls its tool with one item at a time, while the execution data hold the agent's own items.
	if (node.name !== context.getNode().name) {
		return [context.getInputData(0, NodeConnectionTypes.AiTool)];
	}
	return data.main?.[0] ?? data.ai_tool?.[0] ?? [];
}
