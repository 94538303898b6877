import type { IExecuteData, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeConnectionTypes, sleep } from 'n8n-workflow';

import type { Connection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { Session } from '../../shared/client/session';
import { Tasks } from './tasks';

/** How much later than n8n this node expects the next batch, and how often it looks, in milliseconds. */
const BATCH_TOLERANCE = 100;
const MAX_SLEEP = 1000;

/** n8n passes the same object to all items of one execution of the node. */
const runs = new WeakMap<IExecuteData, RunContext>();

/** Replaces a request after another item stopped the execution. */
export class RunStoppedError extends Error {}

/** What the items with one credential share. */
export interface RunSession {
	session: Session;
	tasks: Tasks;
}

/** How n8n starts the items (Request Options > Batching): `size` items at once, the next ones `interval` milliseconds later. */
interface Batching {
	size: number;
	interval: number;
}

/** What the items of one execution of the node share. */
export class RunContext {
	/** What was created so far, for the error of an execution that stops. */
	readonly created: string[] = [];

	/** What might have been created although its request failed. */
	readonly unknown: string[] = [];

	/** Whether an item failed and stopped the execution. */
	isStopped = false;

	private resolveComplete: () => void = () => undefined;
	private readonly completion = new Promise<void>((resolve) => (this.resolveComplete = resolve));
	private readonly started = new Set<number>();
	private readonly pending = new Set<Promise<unknown>>();
	private readonly sessions = new Map<string, RunSession>();
	private previousItem: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly itemCount: number,
		private readonly batching: Batching,
		private readonly cancelSignal: AbortSignal | undefined,
	) {}

	/** Whether n8n has started every item. */
	get isComplete(): boolean {
		return this.started.size >= this.itemCount;
	}

	/** Whether n8n starts more items later, unless it stopped in the middle of a batch, as when an expression fails. */
	get isBetweenBatches(): boolean {
		const { size, interval } = this.batching;
		return interval > 0 && this.started.size % size === 0;
	}

	/**
	 * Waits until n8n has started all items, or has ended the execution at one that it can't start.
	 *
	 * @returns whether all items started: only then n8n listens to what becomes of them
	 */
	async waitForAllItems(): Promise<boolean> {
		// n8n starts the items of a batch without a pause.
		await Promise.resolve();
		while (!this.isComplete) {
			if (!this.isBetweenBatches) return false;
			const { size } = this.started;
			const end = Date.now() + this.batching.interval + BATCH_TOLERANCE;
			while (!this.isComplete && this.started.size === size) {
				const left = end - Date.now();
				if (left <= 0) return false;
				await Promise.race([this.completion, sleep(Math.min(MAX_SLEEP, left))]);
			}
			await Promise.resolve();
		}
		return true;
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
		if (this.isComplete) this.resolveComplete();
		return true;
	}

	/** Items whose credential resolves to the same base URL and API key share a session; the first one's limit applies. */
	getSession(connection: Connection, maxConcurrent: number): RunSession {
		const key = JSON.stringify([connection.baseUrl, connection.apiKey]);
		const known = this.sessions.get(key);
		if (known !== undefined) return known;
		const limiter = new Limiter(maxConcurrent, this.cancelSignal);
		if (this.isStopped) limiter.stop(new RunStoppedError());
		const created = { session: new Session(connection, limiter), tasks: new Tasks() };
		this.sessions.set(key, created);
		return created;
	}

	/** Awaits what an item loads, after all items before it: so they start in input order, however long each takes. */
	async inInputOrder<T>(loading: Promise<T>): Promise<T> {
		const loaded = Promise.all([loading, this.previousItem]).then(([result]) => result);
		this.previousItem = Promise.allSettled([loaded, this.previousItem]);
		return await loaded;
	}

	/** Waits until the credentials of all items that started are loaded. */
	async waitForConnections(): Promise<void> {
		await this.previousItem;
		// An item uses its credential right after it is loaded.
		await sleep(0);
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

/** Returns what the items of an execution share, created for the first of them. */
export function enterRun(context: IExecutePaginationFunctions): RunContext {
	const data = context.getExecuteData();
	const itemIndex = context.getItemIndex();
	const current = runs.get(data);
	if (current?.start(itemIndex)) return current;
	const run = new RunContext(
		// With Execute Once, n8n hands over the first item alone, although all of them are in the data.
		context.getNode().executeOnce ? 1 : getInputItems(context).length,
		getBatching(context),
		context.getExecutionCancelSignal(),
	);
	run.start(itemIndex);
	runs.set(data, run);
	return run;
}

/** Reads the batching as n8n does (engine: RoutingNode.runNode). */
function getBatching(context: IExecutePaginationFunctions): Batching {
	const { batching } = context.getNodeParameter('requestOptions', {}) as {
		batching?: { batch?: { batchSize?: number; batchInterval?: number } };
	};
	const { batchSize = 1, batchInterval = 0 } = batching?.batch ?? {};
	return { size: batchSize > 0 ? batchSize : 1, interval: batchInterval };
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

/** All input items of the execution, as n8n links an output to them. */
export function linkToAllItems(
	context: IExecutePaginationFunctions,
): INodeExecutionData['pairedItem'] {
	const links = getInputItems(context).map((_item, item) => ({ item }));
	return links.length === 1 ? links[0] : links;
}
