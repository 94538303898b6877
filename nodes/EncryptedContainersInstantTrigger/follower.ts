import {
	ExecutionCancelledError,
	type IDataObject,
	type IRun,
	type ITriggerFunctions,
} from 'n8n-workflow';

import { createLossError, findEventId, findNewestEvent } from '../shared/api/serviceEvents';
import { delay } from '../shared/client/delay';
import { createNodeError, ServiceError, type Cause } from '../shared/errors/errors';
import { getRequestedDelay } from '../shared/errors/failure';
import { hash } from '../shared/responses/shapes';
import type { EventSource, Place } from './eventSource';
import type { Progress } from './progress';

const BASE_DELAY = 1000;
const MAX_DELAY = 10_000;

/** What happens while the workflow runs comes in one execution after it, unless the workflow takes longer than this. */
const MAX_RUN = 5000;

export interface FollowerOptions {
	context: ITriggerFunctions;
	source: EventSource;
	progress: Progress;
	/** Ends it. */
	signal: AbortSignal;
	/** Tries in a row that can fail before a person is told. */
	maxRetries: number;
	/** Stands for the trigger and its service. */
	key: string;
	/** Whether the credential is another one now, and can be used. */
	isReplaced: () => Promise<boolean>;
}

/** Brings the events to the workflow, as long as the workflow is active. */
export class Follower {
	private userId?: string;
	private place: Place = {};
	/** The last event of what n8n got before it stopped, and might not have begun: it gets the same again. */
	private repeated: string[] = [];

	constructor(private readonly options: FollowerOptions) {}

	/** Goes on until the signal ends it, or n8n has to start the trigger again. */
	async run(): Promise<void> {
		const { context, signal, maxRetries, isReplaced } = this.options;
		for (let failures = 0; !signal.aborted;) {
			try {
				if (this.userId === undefined) await this.connect();
				await this.advance();
				failures = 0;
			} catch (error) {
				if (signal.aborted) return;
				if (this.passOver(error)) continue;
				const restarts = await isReplaced().catch(() => false);
				if (restarts) return context.emitError(this.toNodeError(error as Cause));
				failures += 1;
				if (failures === maxRetries + 1) this.tell(error as Cause);
				await delay(getDelay(failures, error), signal).catch(() => undefined);
			}
		}
	}

	private async connect(): Promise<void> {
		const { source, progress } = this.options;
		this.userId = await source.connect();
		progress.setUser(this.userId);
		this.place = progress.place;
		this.repeated = [...progress.pending];
	}

	/** Reads once, and gives n8n what it found. */
	private async advance(): Promise<void> {
		const { source, progress, signal } = this.options;
		const [until] = this.repeated;
		const found = await source.read(this.place, { waits: until === undefined });
		const events = found.filter(({ id }) => until === undefined || Number(id) <= Number(until));
		const end = until ?? findEventId(found.at(-1));
		if (end === undefined) return;
		progress.begin(end);
		const emission = this.emit(source.select(events)).then(() => progress.settle(end));
		await Promise.race([emission, delay(MAX_RUN, signal)]);
		this.repeated.shift();
		this.place = { position: end };
	}

	/** @returns when the workflow has run. What n8n can't start, it gets again, until the signal ends it. */
	private async emit(events: IDataObject[]): Promise<void> {
		if (events.length === 0) return;
		const { context, signal } = this.options;
		const items = events.map((json) => ({ json }));
		// With it, n8n starts what it gets again only if it has not begun it. A service whose database was put back gives IDs again.
		const identities = events.map(({ id, created_date: date }) => [id, date]);
		const key = hash(JSON.stringify([this.options.key, this.userId, identities]));
		for (let failures = 1; !signal.aborted; failures += 1) {
			const done = context.helpers.createDeferredPromise<IRun>();
			context.emit([items], undefined, done, key);
			const error: unknown = await done.promise.then(
				() => undefined,
				(cause: unknown) => cause ?? new Error(),
			);
			if (error === undefined || error instanceof ExecutionCancelledError) return;
			await delay(getDelay(failures), signal).catch(() => undefined);
		}
		// Not settled: who is active next gives it again.
		signal.throwIfAborted();
	}

	/** Goes on behind what the service has lost, and says so. @returns whether it is that */
	private passOver(error: unknown): boolean {
		const newest = findNewestEvent(error);
		if (newest === undefined) return false;
		this.tell(createLossError(String(this.place.position), newest));
		this.place = { position: newest };
		this.repeated = [];
		this.options.progress.startFrom(this.place);
		return true;
	}

	/** As a failed execution, which starts the error workflow; before n8n 2, in the log. */
	private tell(error: Cause): void {
		const { context } = this.options;
		const shown = this.toNodeError(error);
		const { saveFailedExecution } = context as Partial<ITriggerFunctions>;
		if (saveFailedExecution !== undefined) saveFailedExecution(shown);
		else context.logger.warn(`${context.getNode().name}: ${shown.message}`);
	}

	private toNodeError(error: Cause) {
		return createNodeError(this.options.context.getNode(), error);
	}
}

/** A few seconds, or longer where the service asks for it. */
function getDelay(failures: number, error?: unknown): number {
	const backoff = Math.min(MAX_DELAY, BASE_DELAY * 2 ** (failures - 1));
	const requested = error instanceof ServiceError ? getRequestedDelay(error.reason) : undefined;
	return Math.max(backoff * (1 - Math.random() / 4), requested ?? 0);
}
