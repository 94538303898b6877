import type { IExecuteData, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { Limiter } from '../../shared/client/limiter';

/** n8n answers the same object for all items of one node run, which makes it the scope for what a run shares. */
const runs = new WeakMap<IExecuteData, Run>();

/** Thrown in place of a request that is not made any more because another item stopped the run. */
export class RunStopped extends Error {}

/** What the items of one node run share: the line for requests, what was already read, and how the run stands. */
export class Run {
	readonly limiter: Limiter;

	/** What was made so far, for the message of a run that stops half-way. */
	readonly made: string[] = [];

	private stopped = false;

	private readonly started = new Set<number>();

	private readonly underWay = new Set<Promise<unknown>>();

	private readonly memory = new Map<string, Promise<unknown>>();

	private readonly lines = new Map<string, Promise<unknown>>();

	constructor(
		readonly size: number,
		maxConcurrent: number,
		cancelled: AbortSignal | undefined,
	) {
		this.limiter = new Limiter(maxConcurrent, cancelled);
	}

	/** Whether an item went wrong and the workflow stops at it. */
	get isStopped(): boolean {
		return this.stopped;
	}

	/** Stops the run: what was not sent yet is not sent. */
	stop(): void {
		this.stopped = true;
		this.limiter.stop(new RunStopped());
	}

	/** Notes that an item begins; false when it already began, which means that n8n runs the node once more. */
	begin(itemIndex: number): boolean {
		if (this.started.has(itemIndex)) return false;
		this.started.add(itemIndex);
		return true;
	}

	/** Whether n8n has handed over every item of the run. */
	get complete(): boolean {
		return this.started.size >= this.size;
	}

	/**
	 * Does something once in a run, however many items ask for it, and answers all of them with its result.
	 *
	 * @param key names what is done
	 * @param task does it; a failure is answered to every item of this run, and tried afresh in the next
	 */
	async once<T>(key: string, task: () => Promise<T>): Promise<T> {
		const known = this.memory.get(key);
		if (known !== undefined) return (await known) as T;
		const result = task();
		this.memory.set(key, result);
		return await result;
	}

	/**
	 * Lets items that change the same thing do so one after the other, in input order, so that none undoes another.
	 *
	 * @param key names the thing, such as a container's identifier
	 * @param task what the item does with it
	 */
	async inOrder<T>(key: string, task: () => Promise<T>): Promise<T> {
		const before = this.lines.get(key) ?? Promise.resolve();
		const result = before.then(task, task);
		this.lines.set(key, result);
		return await result;
	}

	/** Keeps count of what is under way, so that a failed item can wait for the others. */
	async track<T>(task: () => Promise<T>): Promise<T> {
		const result = task();
		this.underWay.add(result);
		try {
			return await result;
		} finally {
			this.underWay.delete(result);
		}
	}

	/** Ends when nothing is under way any more. */
	async settled(): Promise<void> {
		while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
	}
}

/**
 * Answers the run that an item belongs to, and makes it for the first item.
 *
 * @param context the item's context
 * @param maxConcurrent requests in flight at a time; the first item's value counts
 * @returns the run with the item entered into it; a fresh one when Retry On Fail runs the node again
 */
export function enterRun(context: IExecutePaginationFunctions, maxConcurrent: number): Run {
	const data = context.getExecuteData();
	const itemIndex = context.getItemIndex();
	const present = runs.get(data);
	if (present?.begin(itemIndex)) return present;
	const run = new Run(
		inputItems(context).length,
		maxConcurrent,
		context.getExecutionCancelSignal(),
	);
	run.begin(itemIndex);
	runs.set(data, run);
	return run;
}

/**
 * All input items of the run that an item belongs to.
 *
 * @param context the context of any of its items
 */
export function inputItems(context: IExecutePaginationFunctions): INodeExecutionData[] {
	const { data, node } = context.getExecuteData();
	// An agent calls its tool with one item at a time, while the data of the run are the agent's own items.
	if (node.name !== context.getNode().name) {
		return [context.getInputData(0, NodeConnectionTypes.AiTool)];
	}
	return data.main?.[0] ?? data.ai_tool?.[0] ?? [];
}
