import { randomUUID } from 'crypto';
import type { INodeExecutionData } from 'n8n-workflow';

import { extendError } from '../../shared/errors/errors';

/** What is left of a Doubt in later tries: what an item might have created or changed, and whether it can be sent again. */
export interface EarlierDoubt {
	/** What might have been created, for a message. */
	created?: string;
	/** Whether the service recognizes the request if it comes again. */
	isRecognized?: boolean;
}

/** What the tries of one item share. */
export class ItemMemory {
	/** Of the one container that the item creates: random, so that no other upload of any n8n has it. */
	readonly idempotencyKey = randomUUID();
	/** What the item changed, by the ID of the container, even if the response was lost. */
	readonly changes = new Map<string, unknown>();
	doubt?: EarlierDoubt;
	private firstError?: Error;

	/** @returns the error to show: that of the request which might have been carried out matters more than a later one */
	keepError(error: Error): Error {
		const { firstError } = this;
		if (this.doubt !== undefined) this.firstError ??= error;
		if (firstError === undefined) return error;
		return extendError(firstError, { advice: `In a later try: ${error.message}.` });
	}
}

/**
 * What the tries of one execution of the node share: with Retry On Fail, n8n executes it again for all items.
 *
 * What is done is not sent again, also where the service would recognize it: a replay needs the whole upload.
 */
export class RetryMemory {
	/** How many tries began. */
	tries = 0;
	private readonly created: string[] = [];
	/** By the ID of the job. */
	private readonly outputs = new Map<string, INodeExecutionData[]>();
	private readonly results = new Map<string, Promise<unknown>>();
	private readonly failedResults = new Set<string>();
	private readonly items: Array<ItemMemory | undefined> = [];

	beginTry(): void {
		this.tries += 1;
		for (const key of this.failedResults) this.results.delete(key);
		this.failedResults.clear();
	}

	ofItem(index: number): ItemMemory {
		return (this.items[index] ??= new ItemMemory());
	}

	keepOutput(jobId: string, output: INodeExecutionData[]): void {
		this.outputs.set(jobId, output);
	}

	/** @returns what a job returned in an earlier try; undefined where it was not done */
	recallOutput(jobId: string): INodeExecutionData[] | undefined {
		return this.outputs.get(jobId);
	}

	/** Runs a task once for all items, and shares its result. A failure is shared until the next try. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		const result = (this.results.get(key) as Promise<T> | undefined) ?? task();
		this.results.set(key, result);
		result.catch(() => this.failedResults.add(key));
		return await result;
	}

	noteCreated(what: string): void {
		this.created.push(what);
	}

	/** What was or might have been created, with what to do about it, since an execution that stops returns no items. */
	describeCreated(): string {
		const texts: string[] = [];
		if (this.created.length > 0) {
			texts.push(`Created before the execution stopped: ${this.created.join(', ')}.`);
		}
		const doubtful = this.items.flatMap((item) => item?.doubt?.created ?? []);
		if (doubtful.length > 0) {
			texts.push(
				`Might have been created: ${doubtful.join(', ')}. Look for them before you run the workflow again.`,
			);
		}
		return texts.join(' ');
	}
}

const memories = new WeakMap<object, RetryMemory>();

/** @param tryKey the same object in each try */
export function getRetryMemory(tryKey: object): RetryMemory {
	const memory = memories.get(tryKey) ?? new RetryMemory();
	memories.set(tryKey, memory);
	return memory;
}
