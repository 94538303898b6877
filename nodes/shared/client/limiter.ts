import type { RequestFailure } from '../errors/failure';
import { toConnectionKey, type Connection } from './connection';
import { delay, onAbort } from './delay';

/** Until when the service wants no requests with a credential, from any execution of this process. */
const pauses = new Map<string, number>();

interface Limits {
	connection: Connection;
	concurrency: number;
	/** Rejects all that wait, now or later, with its reason. Requests in flight end by themselves. */
	signal: AbortSignal;
}

/**
 * How many requests of one execution run at a time with one credential. While the service asks for a pause, none starts.
 * After it, one request goes through, then one more with each success, so that few requests are rejected.
 */
export class Limiter {
	readonly signal: AbortSignal;
	private refused?: RequestFailure;
	/** How often the service rejected requests for their number since it last accepted one. */
	private rejections = 0;
	private inFlight = 0;
	private slots: number;
	private readonly key: string;
	private isPaused = false;
	private readonly waiting: Array<() => void> = [];

	constructor(private readonly limits: Limits) {
		this.signal = limits.signal;
		this.slots = limits.concurrency;
		this.key = toConnectionKey(limits.connection);
		onAbort(this.signal, () => this.next());
	}

	/** @throws what the task throws, or the reason of the signal */
	async run<T>(task: () => Promise<T>): Promise<T> {
		await new Promise<void>((start) => {
			this.waiting.push(start);
			this.next();
		});
		try {
			// Who waited at the end starts only to find that out.
			this.signal.throwIfAborted();
			return await task();
		} finally {
			this.inFlight -= 1;
			this.next();
		}
	}

	/** After a pause, one more can run at the same time. */
	onSuccess(): void {
		// A request from before the pause does not show that the pause is over.
		if (this.isPaused) return;
		this.rejections = 0;
		this.slots = Math.min(this.slots + 1, this.limits.concurrency);
		this.next();
	}

	/** How the service rejected the tries of a request, and all others meanwhile: no more are sent. */
	get refusal(): RequestFailure | undefined {
		return this.refused;
	}

	/** Notes a rejection of a request, and whether it is sent again, after a pause of all or by itself. */
	onRejection(
		failure: RequestFailure,
		request: { attempts: number; maxRetries: number; retry?: { pauseAll: boolean } },
	): void {
		const { attempts, maxRetries, retry } = request;
		this.rejections += 1;
		// After a pause, they are sent in turn: many that wait would each have their first try before any has its last.
		const isLong = retry?.pauseAll && this.rejections > maxRetries * this.limits.concurrency;
		const isLast = retry === undefined && attempts > 1 && this.rejections >= attempts;
		if (isLong || isLast) this.refused = failure;
	}

	/** Pauses every request with the credential that is not in flight yet. */
	pauseFor(milliseconds: number): void {
		const { key } = this;
		pauses.set(key, Math.max(pauses.get(key) ?? 0, Date.now() + milliseconds));
		this.pause(milliseconds);
	}

	private pause(milliseconds: number): void {
		if (this.isPaused) return;
		this.isPaused = true;
		this.slots = 1;
		const resume = () => {
			this.isPaused = false;
			this.next();
		};
		void delay(milliseconds, this.signal).then(resume, () => undefined);
	}

	/** Starts what can start; at the end, all that waits. */
	private next(): void {
		const { key } = this;
		while (this.waiting.length > 0) {
			const left = (pauses.get(key) ?? 0) - Date.now();
			if (left <= 0) pauses.delete(key);
			if (!this.signal.aborted) {
				if (left > 0) return this.pause(left);
				if (this.inFlight >= this.slots) return;
			}
			this.inFlight += 1;
			this.waiting.shift()?.();
		}
	}
}
