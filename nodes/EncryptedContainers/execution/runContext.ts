import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeConnectionTypes, sleep } from 'n8n-workflow';

import type { Connection } from '../../shared/client/connection';
import { Limiter } from '../../shared/client/limiter';
import { Session } from '../../shared/client/session';
import { ItemState } from './itemState';
import { Tasks } from './tasks';

/** How much later than n8n this node expects the next batch, and how often it looks, in milliseconds. */
const BATCH_TOLERANCE = 100;
const MAX_SLEEP = 1000;

/** By the object that n8n passes to all items of one execution of the node, and to each try of it. */
const runs = new WeakMap<object, RunContext>();

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
	readonly created: string[];

	/** What might have been created although its request failed. */
	readonly unknown: Set<string>;

	/** The output of tasks for all items, of this try and of those before it. */
	readonly finishedFollowUps: INodeExecutionData[] = [];
	readonly earlierFollowUps: INodeExecutionData[] = [];

	/** Resolves when the try before sends no more requests. */
	readonly ready: Promise<void>;

	/** The keys under which an item of this try ran exclusively. */
	readonly exclusiveKeys = new Set<string>();

	/** Whether n8n's log names what a canceled execution created. */
	isReported = false;

	/** Whether an item failed and stopped the execution. */
	isStopped = false;

	private readonly tryNumber: number;
	private readonly started = new Set<number>();
	private readonly pending = new Set<Promise<unknown>>();
	private readonly sessions = new Map<string, RunSession>();
	private readonly tasks: Map<string, Tasks>;
	private readonly itemStates: Map<number, ItemState>;
	private previousItem: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly itemCount: number,
		private readonly batching: Batching,
		private readonly cancelSignal: AbortSignal | undefined,
		previous?: RunContext,
	) {
		this.tryNumber = (previous?.tryNumber ?? 0) + 1;
		this.created = previous?.created ?? [];
		this.unknown = previous?.unknown ?? new Set();
		this.tasks = previous?.tasks ?? new Map<string, Tasks>();
		this.itemStates = previous?.itemStates ?? new Map<number, ItemState>();
		for (const tasks of this.tasks.values()) tasks.forgetFailures();
		if (previous) {
			this.earlierFollowUps.push(...previous.earlierFollowUps, ...previous.finishedFollowUps);
		}
		previous?.stop();
		this.ready = previous?.onIdle() ?? Promise.resolve();
	}

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
			// Counted in sleeps, not by the clock: on a busy machine, they end late together with that of n8n.
			let left = this.batching.interval + BATCH_TOLERANCE;
			while (!this.isComplete && this.started.size === size) {
				if (left <= 0) return false;
				await sleep(Math.min(MAX_SLEEP, left));
				left -= MAX_SLEEP;
			}
			await Promise.resolve();
		}
		return true;
	}

	/**
	 * Whether an agent that calls the node itself calls it again after an error (engine: makeHandleToolInvocation). Where
	 * n8n's engine executes the tool, it also does so after an error item.
	 */
	isTriedAgain(context: IExecutePaginationFunctions): boolean {
		const { retryOnFail, maxTries = 3 } = context.getNode();
		const count = Math.min(5, Math.max(2, maxTries));
		return retryOnFail === true && isCalledByAgent(context) && this.tryNumber < count;
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

	/** Items whose credential resolves to the same base URL and API key share a session; the first one's limit applies. */
	getSession(connection: Connection, maxConcurrent: number): RunSession {
		const key = JSON.stringify({ ...connection, credential: undefined });
		const known = this.sessions.get(key);
		if (known !== undefined) return known;
		const limiter = new Limiter(maxConcurrent, this.cancelSignal);
		if (this.isStopped) limiter.stop(new RunStoppedError());
		const tasks = this.tasks.get(key) ?? new Tasks();
		this.tasks.set(key, tasks);
		const created = { session: new Session(connection, limiter), tasks };
		this.sessions.set(key, created);
		return created;
	}

	/** What became of an item in this try and those before it. */
	getItemState(itemIndex: number): ItemState {
		const state = this.itemStates.get(itemIndex) ?? new ItemState();
		this.itemStates.set(itemIndex, state);
		return state;
	}

	/**
	 * Loads something for an item after it is loaded for all items before it. One at a time: each credential is a query to
	 * n8n's database, which otherwise keeps everybody else waiting for those of thousands of items.
	 */
	async inInputOrder<T>(load: () => Promise<T>): Promise<T> {
		const loaded = this.previousItem.then(async () => {
			this.cancelSignal?.throwIfAborted();
			if (this.isStopped) throw new RunStoppedError();
			return await load();
		});
		this.previousItem = loaded.catch(() => undefined);
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
	const key = getExecutionKey(context);
	const itemIndex = context.getItemIndex();
	const current = runs.get(key);
	if (current?.start(itemIndex)) return current;
	const run = new RunContext(
		// With Execute Once, n8n hands over the first item alone, although all of them are in the data.
		context.getNode().executeOnce ? 1 : getInputItems(context).length,
		getBatching(context),
		context.getExecutionCancelSignal(),
		current,
	);
	run.start(itemIndex);
	runs.set(key, run);
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
	if (isCalledByAgent(context)) return [context.getInputData(0, NodeConnectionTypes.AiTool)];
	const { data } = context.getExecuteData();
	return data.main[0] ?? [];
}

/** All input items of the execution, as n8n links an output to them. */
export function linkToAllItems(
	context: IExecutePaginationFunctions,
): INodeExecutionData['pairedItem'] {
	const links = getInputItems(context).map((_item, item) => ({ item }));
	return links.length === 1 ? links[0] : links;
}

/** n8n passes the same object to each try: the execution data, or the arguments where an agent calls the node. */
function getExecutionKey(context: IExecutePaginationFunctions): object {
	return isCalledByAgent(context) ? getInputItems(context)[0].json : context.getExecuteData();
}

/** Whether an agent calls the node, with one item at a time: then the execution data is the agent's own. */
function isCalledByAgent(context: IExecutePaginationFunctions): boolean {
	return context.getExecuteData().node.name !== context.getNode().name;
}
