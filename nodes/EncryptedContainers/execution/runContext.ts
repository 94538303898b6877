import type { IExecuteData, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import type { Connection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { Session } from '../../shared/client/session';
import { Tasks } from './tasks';

/** n8n passes the same object to all items of one execution of the node. */
const runs = new WeakMap<IExecuteData, RunContext>();

/** Replaces a request after another item stopped the execution. */
export class RunStoppedError extends Error {}

/** What the items with one credential share. */
export interface RunSession {
	session: Session;
	tasks: Tasks;
}

/** What the items of one execution of the node share. */
export class RunContext {
	/** What was created so far, for the error of an execution that stops. */
	readonly created: string[] = [];

	/** What might have been created although its request failed. */
	readonly unknown: string[] = [];

	/** Whether an item failed and stopped the execution. */
	isStopped = false;

	private readonly started = new Set<number>();
	private readonly pending = new Set<Promise<unknown>>();
	private readonly sessions = new Map<string, RunSession>();

	constructor(
		private readonly itemCount: number,
		private readonly maxConcurrent: number,
		private readonly cancelSignal: AbortSignal | undefined,
	) {}

	/** Whether n8n has started every item. */
	get isComplete(): boolean {
		return this.started.size >= this.itemCount;
	}

	/** Rejects every request that is still in the queue. */
	stop(): void {
		this.isStopped = true;
		for (const { session } of this.sessions.values()) session.limiter.stop(new RunStoppedError());
	}

	/** Registers an item; false if it started before, because then n8n executes the node again. */
	start(itemIndex: number): boolean {
		if (this.started.has(itemIndex)) return false;
		this.started.add(itemIndex);
		return true;
	}

	/** Items whose credential resolves to the same base URL and API key share a session. */
	getSession(connection: Connection): RunSession {
		const key = JSON.stringify([connection.baseUrl, connection.apiKey]);
		const known = this.sessions.get(key);
		if (known !== undefined) return known;
		const limiter = new Limiter(this.maxConcurrent, this.cancelSignal);
		if (this.isStopped) limiter.stop(new RunStoppedError());
		const created = { session: new Session(connection, limiter), tasks: new Tasks() };
		this.sessions.set(key, created);
		return created;
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
		// With Execute Once, n8n hands over the first item alone, although all of them are in the data.
		context.getNode().executeOnce ? 1 : getInputItems(context).length,
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
