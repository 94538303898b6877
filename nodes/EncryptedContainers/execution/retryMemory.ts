import { randomUUID } from 'crypto';
import type { INodeExecutionData } from 'n8n-workflow';

import { extendError, isInDoubt, type ServiceError } from '../../shared/errors/errors';
import { RECORD_NAMES, type Doubt } from '../../shared/errors/failure';

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
	/** By the ID of the job: why it might be done. */
	private readonly doubts = new Map<string, ServiceError & { doubt: Doubt }>();
	private readonly idempotencyKeys = new Map<string, string>();
	private readonly changes = new Map<string, unknown>();

	beginTry(): void {
		this.tries += 1;
		for (const key of this.failedResults) this.results.delete(key);
		this.failedResults.clear();
	}

	/** @param output what is returned in later tries, where there can be any */
	finish(jobId: string, output?: INodeExecutionData[]): void {
		this.doubts.delete(jobId);
		if (output !== undefined) this.outputs.set(jobId, output);
	}

	/** @returns the error to show: that of the request which might have been carried out matters more than a later one */
	keepError(jobId: string, error: Error): Error {
		const first = this.doubts.get(jobId);
		if (first !== undefined)
			return extendError(first, { advice: `In a later try: ${error.message}.` });
		if (isInDoubt(error)) this.doubts.set(jobId, error);
		return error;
	}

	/** What a job might have done in an earlier try. */
	recallDoubt(jobId: string): Doubt | undefined {
		return this.doubts.get(jobId)?.doubt;
	}

	/** Of the one container that a job creates: random, so that no other upload of any n8n has it. */
	getIdempotencyKey(jobId: string): string {
		const key = this.idempotencyKeys.get(jobId) ?? randomUUID();
		this.idempotencyKeys.set(jobId, key);
		return key;
	}

	/** What a job changed, even if the response was lost. */
	noteChange(key: string, change: unknown): void {
		this.changes.set(key, change);
	}

	recallChange(key: string): unknown {
		return this.changes.get(key);
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
		const names: string[] = [];
		for (const { doubt, subject } of this.doubts.values()) {
			if (doubt.what === 'change') continue;
			names.push(`${RECORD_NAMES[doubt.what]} "${subject.recordName}"`);
		}
		if (names.length > 0) {
			texts.push(
				`Might have been created: ${names.join(', ')}. Look for them before you run the workflow again.`,
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
