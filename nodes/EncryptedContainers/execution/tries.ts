import { randomUUID } from 'crypto';
import type { INodeExecutionData } from 'n8n-workflow';

import { withAdvice } from '../../shared/errors/errors';

export class ItemState {
	/** What the item changed, by the ID of the container, also in an earlier try, and even if the response was lost. */
	readonly sent = new Map<string, unknown>();
	/** Whether a failed request of the item might have been carried out. */
	isOutcomeUnknown = false;
	/** By which the service recognizes that request. */
	idempotencyKey?: string;
	private error?: Error;

	/** Keeps the error that left the outcome unknown: a later try can fail for another reason. */
	keepError(error: Error): void {
		if (this.isOutcomeUnknown) this.error ??= error;
	}

	/** @throws the error of the try that might have been carried out, so that the request can't be repeated */
	assertRepeatable(): void {
		if (this.error) throw withAdvice(this.error, 'Retry On Fail did not send it again.');
	}
}

/** What the tries of one execution of the node share: with Retry On Fail, n8n executes it again for all items. */
export class Tries {
	readonly id = randomUUID();
	/** What was created so far. */
	readonly created: string[] = [];
	/** What might have been created although its request failed. */
	readonly unknown = new Set<string>();
	/** Of the jobs that are done. */
	readonly outputs = new Map<string, INodeExecutionData[]>();
	count = 0;
	private readonly results = new Map<string, Promise<unknown>>();
	private readonly failed = new Set<string>();
	private readonly states = new Map<number, ItemState>();

	begin(): void {
		this.count += 1;
		for (const key of this.failed) this.results.delete(key);
		this.failed.clear();
	}

	/** What was or might have been created, with what to do about it, since an execution that stops returns no items. */
	describeCreated(): string {
		const [created, unknown] = [this.created.join(', '), [...this.unknown].join(', ')];
		const advice = 'Look for them before you run the workflow again.';
		const texts = [
			created && `Created before the execution stopped: ${created}.`,
			unknown && `Might have been created: ${unknown}. ${advice}`,
		];
		return texts.filter(Boolean).join(' ');
	}

	/** Runs a task once for all items, and shares its result. A failure is shared until the next try. */
	async memoize<T>(key: string, task: () => Promise<T>): Promise<T> {
		const result = (this.results.get(key) as Promise<T> | undefined) ?? task();
		this.results.set(key, result);
		result.catch(() => this.failed.add(key));
		return await result;
	}

	getState(itemIndex: number): ItemState {
		const state = this.states.get(itemIndex) ?? new ItemState();
		this.states.set(itemIndex, state);
		return state;
	}
}

const triesByKey = new WeakMap<object, Tries>();

/** @param key the object that n8n passes to each try */
export function getTries(key: object): Tries {
	const tries = triesByKey.get(key) ?? new Tries();
	triesByKey.set(key, tries);
	return tries;
}
